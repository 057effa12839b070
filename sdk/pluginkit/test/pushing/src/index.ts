import { connect, type Socket } from 'node:net';
import {
  type Context,
  driver,
  type Driver,
  ErrorCode,
  Fault,
  LinkState,
  type Point,
  type Report,
  type Values,
  type Watch,
} from '@tagway/sdk';

type Settings = { host: string; port: number };

const unknown = new Fault(ErrorCode.READ_FAILED, 'The device has not reported this value.');

/** How often the device is asked for a sign of life, and how long it may be without one, in milliseconds. */
const pingInterval = 50;
const patience = 1000;

/** The device sends lines of `name value`, all it has at first and then each change, and answers `PING` with `PONG`. */
class PushingDriver implements Driver {
  readonly #context: Context<Settings>;
  readonly #watches = new Map<Report, readonly Point[]>();
  readonly #known = new Map<string, number>();
  #socket: Socket | undefined;
  #timer: Disposable | undefined;
  #heardAt = 0;

  constructor(context: Context<Settings>) {
    this.#context = context;
  }

  async start(): Promise<void> {
    this.#connect();
  }

  async read(points: readonly Point[], into: Values): Promise<void> {
    if (this.#known.size === 0) throw new Fault(ErrorCode.DISCONNECTED);
    for (const [index, { address }] of points.entries()) {
      const value = this.#known.get(address);
      if (value === undefined) into.fault(index, unknown);
      else into.number(index, value);
    }
  }

  watch(points: readonly Point[], report: Report): Watch {
    this.#watches.set(report, points);
    if (process.env.FLAW === 'makes values up') points.forEach((_, index) => report.number(index, 0));
    for (const [name, value] of this.#known) this.#report(report, points, name, value);
    report.send();
    return {
      [Symbol.asyncDispose]: () => Promise.resolve(void this.#watches.delete(report)),
    };
  }

  async stop(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#socket?.destroy();
  }

  #connect(): void {
    const { clock, link, settings } = this.#context;
    const socket = connect(settings).setEncoding('latin1');
    let rest = '';
    this.#socket = socket;
    socket.on('connect', () => {
      this.#heardAt = clock.monotonic();
      this.#ping(socket);
    });
    socket.on('data', (text) => {
      const lines = (rest + String(text)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > 100 || lines.some((line) => !/^([a-z]+ [0-9.]+|PONG)$/.test(line)))
        return void socket.destroy();
      this.#heardAt = clock.monotonic();
      link(LinkState.CONNECTED);
      this.#take(lines.filter((line) => line !== 'PONG').map((line) => line.split(' ') as [string, string]));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#known.clear();
      link(LinkState.DISCONNECTED, { reason: 'The device ended the connection or cannot be reached.' });
      this.#timer?.[Symbol.dispose]();
      if (!this.#context.signal.aborted) this.#timer = clock.timer(50, () => this.#connect());
    });
  }

  #ping(socket: Socket): void {
    const { clock } = this.#context;
    if (clock.monotonic() - this.#heardAt > patience) return void socket.destroy();
    socket.write('PING\n');
    this.#timer = clock.timer(pingInterval, () => this.#ping(socket));
  }

  #take(lines: readonly (readonly [name: string, value: string])[]): void {
    const taken = process.env.FLAW === 'reports the latest alone' ? [...new Map(lines)] : lines;
    for (const [name, value] of taken) {
      this.#known.set(name, Number(value));
      for (const [report, points] of this.#watches) this.#report(report, points, name, Number(value));
    }
    for (const report of this.#watches.keys()) report.send();
  }

  #report(report: Report, points: readonly Point[], name: string, value: number): void {
    for (const [index, { address }] of points.entries()) if (address === name) report.number(index, value);
  }
}

export default driver<Settings>({
  create: (context) => new PushingDriver(context),
  checkTag: () => undefined,
  checkSettings: ({ host }) =>
    host === 'nowhere'
      ? new Fault(ErrorCode.NODE_SETTING_INVALID, 'The setting "host" names no device.')
      : undefined,
});
