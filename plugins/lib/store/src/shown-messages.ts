import type { FrameDirection, MessageOrigin, MessageSource, MessageTrace } from '@tagway/sdk';

/** A message as people see it. */
export interface ShownMessage {
  readonly topic: string;
  readonly data: Uint8Array;
  /** Where `data` is not for people; see `AppMessage`. */
  readonly text?: string | undefined;
}

/** Shows people what becomes of the messages of a node while they look; otherwise it keeps nothing. Messages go by the data of their record. */
export class ShownMessages implements MessageSource {
  readonly peer: () => string;
  #trace: MessageTrace | undefined;
  #made: ((of: MessageOrigin) => void) | undefined;
  /** Of records that were made while somebody looked. */
  #origins = new WeakMap<Uint8Array, MessageOrigin>();
  /** Messages on their way, by the data of their record. */
  readonly #open = new Map<Uint8Array, ShownMessage>();

  constructor(peer: string) {
    this.peer = () => peer;
  }

  trace(trace: MessageTrace | undefined, made?: (of: MessageOrigin) => void): void {
    this.#trace = trace;
    this.#made = made;
    this.#open.clear();
    this.#origins = new WeakMap();
  }

  /** Somebody looks. */
  get areWanted(): boolean {
    return this.#trace !== undefined;
  }

  /** A record was made of values of a group. */
  made(record: Uint8Array, of: MessageOrigin | undefined): void {
    if (this.#trace === undefined || of === undefined) return;
    this.#origins.set(record, of);
    this.#made?.(of);
  }

  /** The message of a record is on its way to the server. */
  sending(record: Uint8Array, message: ShownMessage): void {
    if (this.#trace !== undefined) this.#open.set(record, message);
  }

  isOpen(record: Uint8Array): boolean {
    return this.#open.has(record);
  }

  /** The server has the message of a record, or will not take it. */
  settled(record: Uint8Array, failure?: string): void {
    const message = this.#open.get(record);
    if (message === undefined) return;
    this.#open.delete(record);
    this.#show('sent', message, this.#origins.get(record), failure);
  }

  /** Nothing is known any more of the messages that are on their way. */
  lost(failure: string): void {
    for (const record of [...this.#open.keys()]) this.settled(record, failure);
  }

  /** A message without a record. */
  show(direction: FrameDirection, message: ShownMessage, failure?: string): void {
    if (this.#trace !== undefined) this.#show(direction, message, undefined, failure);
  }

  #show(
    direction: FrameDirection,
    { topic, data, text }: ShownMessage,
    of: MessageOrigin | undefined,
    failure: string | undefined,
  ): void {
    this.#trace?.({
      direction,
      topic,
      data,
      ...(text !== undefined && { text }),
      ...(of !== undefined && { of }),
      ...(failure !== undefined && { failure }),
    });
  }
}
