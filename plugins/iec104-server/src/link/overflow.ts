import { Cause, UnitWriter } from '@tagway/iec104';
import type { Member, RedundancyGroup } from './redundancy-group.ts';

/** Type of the object: a single point with time. */
const singlePointWithTime = 30;

/** Shows a control centre, as an object of its own, that events for it were dropped. It is sent beside the queue, which is full then. */
export class OverflowMark {
  readonly #ca: number;
  readonly #object: number;
  readonly #utcOffset: number;
  /** Groups that have not had everything that was left, with the time at which events were dropped. */
  readonly #marked = new Map<RedundancyGroup, number>();

  /** `object` 0: there is no such object. */
  constructor(ca: number, object: number, utcOffset: number) {
    this.#ca = ca;
    this.#object = object;
    this.#utcOffset = utcOffset;
  }

  /** Events were dropped: the mark is set until everything that is left is acknowledged. */
  lost(group: RedundancyGroup, now: number): void {
    if (this.#object === 0 || this.#marked.has(group)) return;
    this.#marked.set(group, now);
    // The queue calls while it makes room.
    if (group.active !== undefined) queueMicrotask(() => this.#send(group.active, 1, now));
  }

  /** A connection has become the active one: it is shown the mark before the events. */
  started(group: RedundancyGroup): void {
    const since = this.#marked.get(group);
    if (since !== undefined) this.#send(group.active, 1, since);
  }

  /** The queue of a group is empty: the mark is taken back. */
  settled(group: RedundancyGroup, now: number): void {
    if (group.active !== undefined && this.#marked.delete(group)) this.#send(group.active, 0, now);
  }

  #send(member: Member | undefined, value: number, time: number): void {
    const writer = new UnitWriter(this.#utcOffset, (asdu) => member?.reply(asdu));
    writer.add(singlePointWithTime, Cause.SPONTANEOUS, this.#ca, {
      object: this.#object,
      value,
      descriptor: 0,
      time,
      isTimeInvalid: false,
    });
    writer.flush();
    member?.pump();
  }
}
