/** One connection of a scripted device: what was received and not yet looked at, and ways to answer. */
export class Wire {
  received: Buffer = Buffer.alloc(0);
  isClosed = false;
  readonly #answer: { send(bytes: Buffer): void; close(): void; reset(): void };
  #wake: () => void = () => undefined;

  constructor(answer: { send(bytes: Buffer): void; close(): void; reset(): void }) {
    this.#answer = answer;
  }

  send(bytes: Buffer): void {
    if (!this.isClosed) this.#answer.send(bytes);
  }

  close(): void {
    this.#answer.close();
    this.closed();
  }

  reset(): void {
    this.#answer.reset();
    this.closed();
  }

  take(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
    this.#wake();
  }

  drop(size: number): void {
    this.received = this.received.subarray(size);
  }

  closed(): void {
    this.isClosed = true;
    this.#wake();
  }

  /** Resolves when something was received or the connection has ended. One at a time may wait. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
