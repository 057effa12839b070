import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';
import { inlineRunner } from './inline.ts';
import {
  type AppRequest,
  faultData,
  type FromRunner,
  type HostRequest,
  type RunnerRequest,
  type SubscriptionsData,
  type ToRunner,
} from './protocol.ts';
import { Requests } from './requests.ts';
import { Wire } from './wire.ts';

/** Where the runner of a line runs: in this process, or in one of its own as in production. */
export type Form = 'inline' | 'forked';

export interface LineOptions {
  /** Of a forked runner: arguments for Node, made from the folder of the nodes' data folders. */
  readonly execArgv?: (folder: string) => readonly string[];
  /** Answers what an app asks of the host, or throws the fault to answer with. Without it, a test answers or nobody does. */
  readonly answer?: (request: AppRequest) => unknown;
}

interface Connection {
  send(message: ToRunner): void;
  /** See `Line.askBeside`. */
  askBeside(question: object): Promise<unknown>;
  close(): Promise<void>;
}

type Receive = (message: FromRunner) => void;

/** How long a message or an answer may take before a test is told that it does not come, in milliseconds. */
const patience = 20_000;

/**
 * A runner as a host sees it, for tests: what it sent, and ways to wait for more. It gives the numbers of sequences itself. Disposing of it
 * ends the runner.
 */
export class Line implements AsyncDisposable {
  readonly received: FromRunner[] = [];
  /** Folder of the nodes' data folders. It goes with the line. */
  readonly folder = mkdtempSync(join(tmpdir(), 'tagway-runner-'));
  readonly #requests = new Requests();
  readonly #connection: Connection;
  readonly #options: LineOptions;
  /** The numbers that were given last, by node and name. */
  readonly #sequences = new Map<string, number>();
  #wake: () => void = () => undefined;

  /** Begins to load the module that a library's default export is in. */
  constructor(form: Form, main: string, options: LineOptions = {}) {
    this.#options = options;
    const receive: Receive = (message) => this.#take(message);
    this.#connection =
      form === 'inline' ? connectInline(receive) : connectForked(receive, options.execArgv?.(this.folder));
    this.send({ op: 'load', main });
  }

  /** Opens a line and waits until the module is loaded, or is found not to be a plugin's. */
  static async open(form: Form, main: string, options?: LineOptions): Promise<Line> {
    const line = new Line(form, main, options);
    await line.next((message) => message.op === 'loaded' || message.op === 'unloadable');
    return line;
  }

  send(message: ToRunner): void {
    this.#connection.send(message);
  }

  /**
   * Asks a module that a forked runner's process has loaded beside the runner, by `execArgv`, over Node's own channel: the module hears
   * it as `process.on('message')` and answers with `process.send`.
   */
  askBeside(question: object): Promise<unknown> {
    return this.#connection.askBeside(question);
  }

  ask(request: RunnerRequest): Promise<unknown> {
    const answer = this.#requests.ask(
      patience,
      (id) => this.send({ op: 'request', id, request }),
      request.op,
    );
    // A test that has failed no longer waits for it.
    answer.catch(() => undefined);
    return answer;
  }

  /** `subscriptions` are an app's. */
  start(node: number, settings: object = {}, subscriptions?: SubscriptionsData): Promise<unknown> {
    return this.ask({ ...this.#startOf(node, settings), ...(subscriptions && { subscriptions }) });
  }

  /** Runs an app in tail mode, and waits for its end. */
  async tail(node: number, settings: object = {}): Promise<void> {
    const from = this.received.length;
    await this.ask({ ...this.#startOf(node, settings), mode: 'tail' });
    await this.next((message) => message.op === 'tailed' && message.node === node, from);
  }

  /** Waits for a message that is among those received since `from`, or is still to come. */
  async next<M extends FromRunner>(matches: (message: FromRunner) => message is M, from?: number): Promise<M>;
  async next(matches: (message: FromRunner) => boolean, from?: number): Promise<FromRunner>;
  async next(matches: (message: FromRunner) => boolean, from = 0): Promise<FromRunner> {
    const end = performance.now() + patience;
    for (;;) {
      const found = this.received.slice(from).find(matches);
      if (found) return found;
      if (performance.now() > end)
        throw new Error(`The runner did not send what was awaited; last: ${this.#last()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
    this.#requests.abandon(new Fault(ErrorCode.NOT_RUNNING, 'The line is closed.'));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #take(message: FromRunner): void {
    this.received.push(message);
    if (message.op === 'answer') this.#requests.settle(message);
    if (message.op === 'request') this.#answer(message.id, message.request);
    this.#wake();
  }

  #answer(id: number, request: HostRequest): void {
    if (request.op === 'sequence') {
      this.send({ op: 'answer', id, value: this.#next(request) });
      return;
    }
    const { answer } = this.#options;
    if (answer === undefined) return;
    try {
      this.send({ op: 'answer', id, value: answer(request) });
    } catch (error) {
      this.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
    }
  }

  #next({ node, name, least }: Extract<HostRequest, { op: 'sequence' }>): number {
    const key = `${node}/${name}`;
    const next = Math.max((this.#sequences.get(key) ?? -1) + 1, least);
    this.#sequences.set(key, next);
    return next;
  }

  #startOf(node: number, settings: object): Extract<RunnerRequest, { op: 'start' }> {
    return {
      ...{ op: 'start', node, name: `node ${node}`, level: 'debug' },
      settings: { ...settings },
      dataDir: join(this.folder, String(node)),
    };
  }

  #last(): string {
    return this.received
      .slice(-3)
      .map((message) => (message.op === 'log' ? `${message.level} ${message.message}` : message.op))
      .join('; ');
  }
}

function connectInline(receive: Receive): Connection {
  const runner = inlineRunner(receive);
  return {
    send: (message) => runner.send(message),
    askBeside: () => Promise.reject(new Error('A runner in this process has nothing beside it.')),
    close: async () => runner[Symbol.asyncDispose](),
  };
}

function connectForked(receive: Receive, execArgv: readonly string[] = []): Connection {
  const entry = fileURLToPath(import.meta.resolve('@tagway/sdk/internal/process'));
  const child = spawn(process.execPath, [...process.execArgv, ...execArgv, entry, 'test'], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'ipc'],
  });
  const stream = child.stdio[3] as Duplex;
  const wire = new Wire(stream, {
    message: (message) => receive(message as FromRunner),
    rubbish: () => child.kill('SIGKILL'),
  });
  // A child that ended is told by what it no longer sends.
  child.on('error', () => undefined);
  stream.on('error', () => undefined);
  return {
    send: (message) => wire.send(message),
    async askBeside(question) {
      child.send(question);
      const [answer] = (await once(child, 'message', { signal: AbortSignal.timeout(patience) })) as unknown[];
      return answer;
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
