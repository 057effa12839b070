import { asduHeaderSize, mostAsdu } from '@tagway/iec104';
import { Spool, type SpoolRecord } from '@tagway/sdk/spool';

/** Milliseconds. A killed process loses the events of half a second: this interval, and the time for the write. */
const flushInterval = 400;

/** Bytes of events in memory; more of them are on disk. */
const memory = 4_000_000;

/** Most objects that the qualifier of an ASDU counts. */
const mostObjects = 127;

/** Events that are sent together, and what has to be acknowledged for them. */
export interface Events {
  readonly asdu: Buffer;
  readonly records: readonly SpoolRecord[];
}

export interface EventQueueOptions {
  readonly folder: string;
  /** Bytes on disk. */
  readonly disk: number;
  /** There may be events to take. */
  readonly onReady: () => void;
  /** Units of data with events are lost; the reason completes "… because". */
  readonly onLost: (units: number, reason: string) => void;
  readonly onError: (sentence: string) => void;
}

/** The events that one control centre has not acknowledged, in order, over restarts. A record is an ASDU that is ready to be sent. */
export class EventQueue {
  readonly #spool: Spool;
  /** Taken, and not sent yet. */
  #next: SpoolRecord | undefined;

  private constructor(spool: Spool) {
    this.#spool = spool;
  }

  static async open({ folder, disk, onReady, onLost, onError }: EventQueueOptions): Promise<EventQueue> {
    return new EventQueue(
      await Spool.open({ folder, memory, disk, flushInterval, onReady, onLost, onError }),
    );
  }

  /** Units of data that wait or are not acknowledged. */
  get size(): number {
    return this.#spool.waiting + this.#spool.inFlight;
  }

  /** Undefined while there is room in memory. */
  get drained(): Promise<void> | undefined {
    return this.#spool.drained;
  }

  push(asdu: Buffer): void {
    this.#spool.push('', asdu);
  }

  /** The oldest events of one type, as many as fit into one ASDU without changing their order. */
  take(): Events | undefined {
    const first = this.#takeOne();
    if (first === undefined) return undefined;
    const parts: Uint8Array[] = [first.data];
    const records = [first];
    let size = first.data.length;
    let count = first.data[1]!;
    for (;;) {
      const next = this.#takeOne();
      if (next === undefined) break;
      const added = next.data.length - asduHeaderSize;
      if (!isSame(first.data, next.data) || size + added > mostAsdu || count + next.data[1]! > mostObjects) {
        this.#next = next;
        break;
      }
      parts.push(next.data.subarray(asduHeaderSize));
      records.push(next);
      size += added;
      count += next.data[1]!;
    }
    const asdu = Buffer.concat(parts, size);
    asdu[1] = count;
    return { asdu, records };
  }

  acknowledge(records: readonly SpoolRecord[]): void {
    for (const record of records) this.#spool.acknowledge(record);
  }

  connected(): void {
    this.#spool.connected();
  }

  /** What was not acknowledged is taken again, before what came after it. */
  disconnected(): void {
    this.#next = undefined;
    this.#spool.disconnected();
  }

  close(): Promise<void> {
    return this.#spool.close();
  }

  #takeOne(): SpoolRecord | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next ?? this.#spool.take();
  }
}

/** Whether two ASDUs have the same type, cause and common address. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return (
    one[0] === other[0] &&
    one[2] === other[2] &&
    one[3] === other[3] &&
    one[4] === other[4] &&
    one[5] === other[5]
  );
}
