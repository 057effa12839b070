import { DataType, driver, ErrorCode, Fault, isFault, LinkState } from '@tagway/sdk';
import type { Context, Driver, Outcome, Point, Value, Write } from '@tagway/sdk';
import { Connection } from './connection.ts';
import type { Settings } from './settings.ts';

const refused = new Fault(ErrorCode.READ_FAILED, 'The device refuses this variable.');
const undecodable = new Fault(ErrorCode.DECODE_FAILED);
const notWritten = new Fault(ErrorCode.WRITE_FAILED);

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
    this.#context.link(LinkState.CONNECTING);
  }

  async read(points: readonly Point[], signal: AbortSignal): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { address, type } of points) {
      const answer = await this.#ask(`READ ${address}`, signal);
      outcomes.push(answer === undefined ? refused : decode(answer, type));
    }
    return outcomes;
  }

  async write(writes: readonly Write[], signal: AbortSignal): Promise<readonly (Fault | undefined)[]> {
    const faults: (Fault | undefined)[] = [];
    for (const { point, value } of writes) {
      const text = encode(value);
      const answer =
        text === undefined ? undefined : await this.#ask(`WRITE ${point.address} ${text}`, signal);
      faults.push(answer === undefined ? notWritten : undefined);
    }
    return faults;
  }

  async stop(): Promise<void> {
    this.#connection.close();
  }

  /** The value that the device answers with, or undefined when it refuses. Throws a fault when the link is gone. */
  async #ask(request: string, signal: AbortSignal): Promise<string | undefined> {
    const context = this.#context;
    try {
      const from = performance.now();
      const answer = await this.#connection.ask(request, signal);
      context.rtt(performance.now() - from);
      context.link(LinkState.CONNECTED);
      if (answer.startsWith('= ')) return answer.slice(2);
      if (answer.startsWith('! ')) return undefined;
      this.#connection.close();
      throw undecodable;
    } catch (error) {
      context.link(LinkState.DISCONNECTED);
      throw isFault(error) ? error : new Fault(ErrorCode.DISCONNECTED, String(error), { cause: error });
    }
  }
}

function decode(text: string, type: DataType): Outcome {
  if (type === DataType.STRING) return text;
  if (type === DataType.INT64) return /^-?\d+$/.test(text) ? BigInt(text) : undecodable;
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? value : undecodable;
}

/** Undefined for what a line cannot hold. */
function encode(value: Value): string | undefined {
  const text = String(value);
  return /[\r\n]/.test(text) ? undefined : text;
}

export default driver<Settings>({
  create: (context) => new TextDriver(context),
  // The patterns in plugin.json say all there is to say of an address.
  check: () => undefined,
});
