import { DataType, driver, ErrorCode, Fault, Quality } from '@tagway/sdk';
import type { Call, Context, Driver, Point, Results, Values, Write } from '@tagway/sdk';
import { Link, Requests, tcpClient } from '@tagway/sdk/link';
import type { Settings } from './settings.ts';

// Points fail often: one fault for each cause serves all of them.
const refused = new Fault(ErrorCode.READ_FAILED, 'The device refuses to read this variable.');
const notWritten = new Fault(ErrorCode.WRITE_FAILED, 'The device refuses to write this value.');
const unwritable = new Fault(
  ErrorCode.WRITE_FAILED,
  'The text cannot be sent: a line of the protocol holds no line ends.',
);
const undecodable = new Fault(
  ErrorCode.DECODE_FAILED,
  "The device's answer is not a value of the tag's type.",
);

/** What may follow a value: when it arose, in milliseconds since the epoch, and a question mark when the device does not vouch for it. */
const stamp = / @(\d+)(\?)?$/;

/**
 * `READ name` and `WRITE name value` are answered `= value`, or `! reason` when the device refuses. An answer does not say to what, so one
 * question is asked at a time: `Requests` without ids.
 */
class TextDriver implements Driver {
  readonly #link: Link;
  readonly #answers: Requests<string>;

  constructor(context: Context<Settings>) {
    const { host, port, timeout } = context.settings;
    this.#link = new Link(
      context,
      tcpClient({ host, port }, { timeout }),
      {
        length: (bytes, at, end) => bytes.subarray(at, end).indexOf('\n') + 1,
        most: 4096,
        frame: (_session, data, at, end) => this.#take(data.toString('latin1', at, end).trimEnd()),
      },
      { timeout },
    );
    // A device that hung up is mostly back at once.
    this.#answers = new Requests(this.#link, { timeout, waitForLink: 500 });
  }

  /** An absent device is no reason to fail: the link keeps trying, and says what it finds. */
  start(): Promise<void> {
    return this.#link.open();
  }

  /** Calls overlap, and questions take turns: a write goes between two questions of a read. */
  async read(points: readonly Point[], into: Values, { signal }: Call): Promise<void> {
    for (const [index, { address, type }] of points.entries()) {
      const answer = await this.#ask(`READ ${address}`, signal);
      if (answer === undefined) {
        into.fault(index, refused);
        continue;
      }
      const [behind = '', time, doubt] = stamp.exec(answer) ?? [];
      const text = answer.slice(0, answer.length - behind.length);
      store(into, index, text, type);
      // A device that sends no time leaves it out, and the gateway goes by the time of the reading.
      if (time !== undefined) into.stamp(index, Number(time), doubt === undefined ? 0 : Quality.UNCERTAIN);
    }
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    for (const [index, { point, value }] of writes.entries()) {
      const text = String(value);
      if (/[\r\n]/.test(text)) into.fault(index, unwritable);
      else if ((await this.#ask(`WRITE ${point.address} ${text}`, signal, true)) === undefined)
        into.fault(index, notWritten);
      else into.done(index);
    }
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#link.close(signal);
  }

  /** The value that the device answers with, or undefined when it refuses. Throws a fault when there is no answer. */
  async #ask(request: string, signal: AbortSignal, urgent = false): Promise<string | undefined> {
    const bytes = Buffer.from(`${request}\n`);
    const answer = await this.#answers.ask(() => this.#link.send(bytes), { signal, urgent });
    return answer.startsWith('= ') ? answer.slice(2) : undefined;
  }

  #take(line: string): void {
    if (line.startsWith('= ') || line.startsWith('! ')) this.#answers.settle(0, line);
    else this.#link.lose('what answers does not speak the protocol of this device', 'malformed');
  }
}

/** Puts the text of an answer in the place of its point, in the form of its type. */
function store(into: Values, index: number, text: string, type: DataType): void {
  if (type === DataType.STRING) {
    into.text(index, text);
  } else if (type === DataType.INT64) {
    if (/^-?\d+$/.test(text)) into.integer(index, BigInt(text));
    else into.fault(index, undecodable);
  } else {
    const value = Number(text);
    if (text !== '' && Number.isFinite(value)) into.number(index, value);
    else into.fault(index, undecodable);
  }
}

export default driver<Settings>({
  create: (context) => new TextDriver(context),
  // The patterns in plugin.json say all there is to say of an address.
  checkTag: () => undefined,
});
