import { DataType, driver, ErrorCode, Fault, isFault, LinkState } from '@tagway/sdk';
import type { Call, Context, Driver, Point, Results, Values, Write } from '@tagway/sdk';
import { Connection } from './connection.ts';
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

/** `READ name` and `WRITE name value` are answered `= value`, or `! reason` when the device refuses. */
class TextDriver implements Driver {
  readonly #context: Context<Settings>;
  readonly #connection: Connection;

  constructor(context: Context<Settings>) {
    this.#context = context;
    this.#connection = new Connection(context.settings);
  }

  /** Nothing to claim: the first read connects, and an absent device is no reason to fail. */
  async start(): Promise<void> {
    this.#context.link(LinkState.CONNECTING, { reason: 'Nothing was asked of the device yet.' });
  }

  /** Calls overlap, and questions take turns: a write goes between two questions of a read. */
  async read(points: readonly Point[], into: Values, { signal }: Call): Promise<void> {
    for (const [index, { address, type }] of points.entries()) {
      const answer = await this.#ask(`READ ${address}`, signal);
      if (answer === undefined) into.fault(index, refused);
      else store(into, index, answer, type);
    }
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    for (const [index, { point, value }] of writes.entries()) {
      const text = String(value);
      if (/[\r\n]/.test(text)) into.fault(index, unwritable);
      else if ((await this.#ask(`WRITE ${point.address} ${text}`, signal)) === undefined)
        into.fault(index, notWritten);
      else into.done(index);
    }
  }

  async stop(): Promise<void> {
    this.#connection.close();
  }

  /** The value that the device answers with, or undefined when it refuses. Throws a fault when the link is gone. */
  async #ask(request: string, signal: AbortSignal): Promise<string | undefined> {
    const context = this.#context;
    try {
      const answer = await context.exclusive(context.node, () => this.#exchange(request, signal), signal);
      if (!answer.startsWith('= ') && !answer.startsWith('! ')) {
        this.#connection.close();
        throw new Fault(ErrorCode.DECODE_FAILED, 'What answers does not speak the protocol of this device.');
      }
      context.link(LinkState.CONNECTED);
      return answer.startsWith('= ') ? answer.slice(2) : undefined;
    } catch (error) {
      const fault = isFault(error)
        ? error
        : new Fault(ErrorCode.DISCONNECTED, String(error), { cause: error });
      const { host, port } = context.settings;
      // A call that was given up says nothing of the link.
      if (!signal.aborted)
        context.link(LinkState.DISCONNECTED, { reason: `${fault.message} The device is ${host}:${port}.` });
      throw fault;
    }
  }

  async #exchange(request: string, signal: AbortSignal): Promise<string> {
    const { clock } = this.#context;
    const from = clock.monotonic();
    const answer = await this.#connection.ask(request, signal);
    this.#context.rtt(clock.monotonic() - from);
    return answer;
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
