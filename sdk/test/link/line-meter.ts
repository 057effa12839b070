// The example of the guide: a driver for a made-up meter, complete but for its settings schema and manifest.
import {
  driver,
  ErrorCode,
  Fault,
  isFault,
  type Call,
  type Context,
  type Driver,
  type Point,
  type Results,
  type Values,
  type Write,
} from '@tagway/sdk';
import {
  disconnected,
  Link,
  RangePlan,
  RefusalMemory,
  Requests,
  tcpClient,
  type Handshake,
  type PackedRange,
  type Protocol,
  type Range,
} from '@tagway/sdk/link';

/**
 * Frames of the meter: length of what follows (2 bytes), id (1), kind (1), data. It greets with kind 0 and the most registers that one
 * read may have; kind 1 reads (start, count), kind 2 writes (place, value), 0x81 and 0x82 answer, 0xff refuses with a code.
 */
const Kind = { HELLO: 0, READ: 1, WRITE: 2, REFUSED: 0xff } as const;

interface Settings {
  readonly host: string;
  readonly port: number;
  readonly timeout: number;
}

/** What the handshake found out. */
interface Session {
  readonly most: number;
}

interface Item extends Range {
  /** Place of the point among the points of its group. */
  readonly index: number;
}

interface Plan {
  readonly ranges: RangePlan<Item>;
  readonly invalid: readonly number[];
}

const invalidAddress = new Fault(
  ErrorCode.TAG_ADDRESS_INVALID,
  'A register from 0 to 65535 is expected, such as 17.',
);

const refusals = new Map<number, Fault>();

/** One fault per code, because points fail by the thousand. */
function refusal(code: number): Fault {
  const known =
    refusals.get(code) ?? new Fault(ErrorCode.READ_FAILED, `The meter refused with code ${code}.`);
  refusals.set(code, known);
  return known;
}

class MeterDriver implements Driver, Protocol<Session> {
  readonly most = 1024;
  readonly #context: Context<Settings>;
  readonly #link: Link<Session>;
  readonly #requests: Requests<Buffer>;
  readonly #memory = new RefusalMemory<Fault>();
  readonly #plans = new WeakMap<readonly Point[], Plan>();

  constructor(context: Context<Settings>) {
    const { host, port, timeout } = context.settings;
    this.#context = context;
    this.#link = new Link<Session>(context, tcpClient({ host, port }, { timeout }), this, { timeout });
    this.#requests = new Requests(this.#link, { timeout, window: 4, ids: { first: 1, last: 255 } });
  }

  // What the link asks.

  length(bytes: Buffer, at: number, end: number): number {
    if (end - at < 2) return 0;
    const size = bytes.readUInt16BE(at);
    return size < 2 ? -1 : 2 + size;
  }

  async handshake(channel: Handshake): Promise<Session> {
    channel.send(frameOf(0, Kind.HELLO, []));
    const hello = await channel.next();
    if (hello[3] !== Kind.HELLO || hello.length < 6) throw new Error('what listens there is not a meter');
    return { most: hello.readUInt16BE(4) };
  }

  frame(_session: Session, data: Buffer, at: number, end: number): void {
    const id = data[at + 2] ?? 0;
    if (data[at + 3] === Kind.REFUSED) this.#requests.fail(id, refusal(data[at + 4] ?? 0));
    // The frame is valid during this call alone, so the answer is a copy.
    else this.#requests.settle(id, Buffer.from(data.subarray(at + 4, end)));
  }

  // What the runner asks.

  start(): Promise<void> {
    return this.#link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#link.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const { ranges, invalid } = this.#planOf(points, call);
    for (const index of invalid) into.fault(index, invalidAddress);
    if (!this.#link.up) throw disconnected;
    const reader = {
      read: (range: PackedRange<Item>) => this.#readRange(range, into, call),
      refused: ({ index }: Item, fault: Fault) => into.fault(index, fault),
    };
    await ranges.readAll(reader, this.#context.clock.monotonic(), this.#link.generation);
  }

  async write(writes: readonly Write[], into: Results, call: Call): Promise<void> {
    for (const [index, { point, value }] of writes.entries()) {
      try {
        const data = Buffer.alloc(4);
        data.writeUInt16BE(Number(point.address), 0);
        data.writeUInt16BE(Number(value), 2);
        await this.#ask(Kind.WRITE, data, { signal: call.signal, urgent: true });
        into.done(index);
      } catch (error) {
        if (!isFault(error)) throw error;
        into.fault(index, error);
      }
    }
  }

  async #readRange(
    { items, start, end }: PackedRange<Item>,
    into: Values,
    { signal }: Call,
  ): Promise<Fault | undefined> {
    const data = Buffer.alloc(4);
    data.writeUInt16BE(start, 0);
    data.writeUInt16BE(end - start, 2);
    try {
      const answer = await this.#ask(Kind.READ, data, { signal });
      if (answer.length < (end - start) * 2)
        throw new Fault(ErrorCode.DECODE_FAILED, 'The answer of the meter is too short.');
      for (const item of items) into.number(item.index, answer.readUInt16BE((item.start - start) * 2));
      return undefined;
    } catch (error) {
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      // The meter refused: an item of it may be the cause, and the plan finds out which.
      if (error.code === ErrorCode.READ_FAILED) return error;
      for (const item of items) into.fault(item.index, error);
      return undefined;
    }
  }

  #ask(kind: number, data: Buffer, options: { signal: AbortSignal; urgent?: boolean }): Promise<Buffer> {
    return this.#requests.ask((id) => this.#link.send(frameOf(id, kind, data)), options);
  }

  #planOf(points: readonly Point[], { cause }: Call): Plan {
    const known = this.#plans.get(points);
    if (known !== undefined) return known;
    const items: Item[] = [];
    const invalid: number[] = [];
    points.forEach(({ address }, index) => {
      const start = Number(address);
      if (/^\d{1,5}$/.test(address) && start < 65_536) items.push({ index, area: 0, start, end: start + 1 });
      else invalid.push(index);
    });
    // A test read must not change what production remembers.
    const memory = cause === 'test' ? new RefusalMemory<Fault>() : this.#memory;
    const most = (): number => this.#link.session?.most ?? 100;
    const plan = { ranges: new RangePlan(items, { gap: 8, most }, memory), invalid };
    if (cause !== 'test') this.#plans.set(points, plan);
    return plan;
  }
}

function frameOf(id: number, kind: number, data: ArrayLike<number>): Buffer {
  const frame = Buffer.alloc(4 + data.length);
  frame.writeUInt16BE(2 + data.length, 0);
  frame[2] = id;
  frame[3] = kind;
  frame.set(data, 4);
  return frame;
}

export default driver<Settings>({
  create: (context) => new MeterDriver(context),
  checkTag: ({ address }) => (/^\d{1,5}$/.test(address) ? undefined : invalidAddress),
});
