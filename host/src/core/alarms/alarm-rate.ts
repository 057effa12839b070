import type { Node } from '../model.ts';

const slotLength = 10_000;
const slotCount = 360;

/** Within ten minutes more than these begin a flood, and fewer than these end it. */
const flood = { begins: 10, ends: 5 } as const;

/** How often alarms became unacknowledged within the last hour, from the journals of nodes, of which it reads what is new. */
export class AlarmRate {
  readonly #slots = new Int32Array(slotCount);
  /** Of each node the sequence of the last transition that is counted. */
  readonly #counted = new WeakMap<Node, number>();
  #newest = 0;
  #isFlood = false;

  /** Counts what is new in a journal. */
  update(node: Node, now: number): void {
    const journal = node.alarms?.journal;
    const counted = this.#counted.get(node) ?? 0;
    if (journal === undefined || journal.last === counted) return;
    this.#counted.set(node, journal.last);
    for (const records of journal.newestFirst(now - slotLength * slotCount))
      for (const { recorded, sequence, from, to } of records) {
        if (sequence <= counted) return;
        if (to === 'unacknowledged' && from !== to) this.#add(recorded);
      }
  }

  /** How many there were within the last milliseconds. */
  within(milliseconds: number, now: number): number {
    this.#moveTo(slotOf(now));
    const first = slotOf(now - milliseconds) + 1;
    let count = 0;
    for (let slot = Math.max(first, this.#newest - slotCount + 1); slot <= this.#newest; slot++)
      count += this.#slots[slot % slotCount]!;
    return count;
  }

  isFlood(now: number): boolean {
    const count = this.within(600_000, now);
    this.#isFlood = this.#isFlood ? count >= flood.ends : count > flood.begins;
    return this.#isFlood;
  }

  #add(time: number): void {
    const slot = slotOf(time);
    if (slot > this.#newest) this.#moveTo(slot);
    if (slot > this.#newest - slotCount) this.#slots[slot % slotCount]!++;
  }

  #moveTo(slot: number): void {
    if (slot - this.#newest >= slotCount) this.#slots.fill(0);
    else for (let passed = this.#newest + 1; passed <= slot; passed++) this.#slots[passed % slotCount] = 0;
    this.#newest = Math.max(this.#newest, slot);
  }
}

const slotOf = (time: number): number => Math.floor(time / slotLength);
