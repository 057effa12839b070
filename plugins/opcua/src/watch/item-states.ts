/** How a point gets its values: by polling as the mode says; by reports that it waits for or has; by polling although the mode monitors it. */
const State = { NOT_PUSHED: 0, WAITING: 1, REPORTED: 2, POLLED: 3 } as const;

/** How each point of a group gets its values at the moment. */
export class ItemStates {
  /** Indices of the points that the mode monitors, ascending. */
  readonly pushed: readonly number[];
  readonly #states: Uint8Array;
  #polled: readonly number[] = [];
  #hasChanged = true;

  constructor(count: number, pushed: readonly number[]) {
    this.pushed = pushed;
    this.#states = new Uint8Array(count);
    this.reset();
    this.publish();
  }

  /** Indices of the points that are polled, ascending; another array when they change. */
  get polled(): readonly number[] {
    return this.#polled;
  }

  /** Everything that the mode monitors waits for its first value. */
  reset(): void {
    for (const index of this.pushed) this.#states[index] = State.WAITING;
    this.#hasChanged = true;
    this.publish();
  }

  /** The point has reported something; `publish` follows. */
  has(index: number): void {
    if (this.#states[index] === State.POLLED) this.#hasChanged = true;
    if (this.#states[index] !== State.NOT_PUSHED) this.#states[index] = State.REPORTED;
  }

  isReported(index: number): boolean {
    return this.#states[index] === State.REPORTED;
  }

  poll(indices: readonly number[]): void {
    for (const index of indices) this.#states[index] = State.POLLED;
    this.#hasChanged ||= indices.length > 0;
    this.publish();
  }

  /** Has points polled that have not reported anything yet; returns how many. */
  pollSilent(): number {
    const silent = this.pushed.filter((index) => this.#states[index] === State.WAITING);
    this.poll(silent);
    return silent.length;
  }

  /** Makes `polled` true again. */
  publish(): void {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const isPolled = (state: number): boolean => state === State.NOT_PUSHED || state === State.POLLED;
    this.#polled = Object.freeze(
      [...this.#states.keys()].filter((index) => isPolled(this.#states[index] ?? 0)),
    );
  }
}
