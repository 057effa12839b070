import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';
import { inlineRunner } from '../internal/channel/inline.ts';
import { faultData } from '../internal/channel/fault-data.ts';
import type { AppRequest, HostRequest } from '../internal/channel/host-request.ts';
import type { FromRunner, RunnerRequest, SubscriptionsData, ToRunner } from '../internal/channel/protocol.ts';
import { Requests } from '../internal/channel/requests.ts';
import { Wire } from '../internal/channel/wire.ts';

/** Where the runner runs: in this process, or in one of its own as in production. */
export type Form = 'inline' | 'forked';

export interface HarnessOptions {
  /** Of a forked runner: arguments for Node, made from the folder of the nodes' data folders. */
  readonly execArgv?: (folder: string) => readonly string[];
  /** Its nodes are of a driver with inputs. */
  readonly inputs?: true | undefined;
  /** Answers the requests of an app, or throws the fault to answer with. Absent: the test has to answer. */
  readonly answer?: (request: AppRequest) => unknown;
}

interface Connection {
  send(message: ToRunner): void;
  /** See `RunnerHarness.askBeside`. */
  askBeside(question: object): Promise<unknown>;
  close(): Promise<void>;
}

type Receive = (message: FromRunner) => void;

/** Milliseconds after which a test fails that waits for a message or an answer. */
const waitLimit = 20_000;

/**
 * A runner without a host, for tests: records the messages of the runner and waits for more. It answers requests for sequence numbers and
 * for what nodes store itself. Disposing of it ends the runner.
 */
export class RunnerHarness implements AsyncDisposable {
  readonly received: FromRunner[] = [];
  /** Folder of the nodes' data folders. It is deleted with the harness. */
  readonly folder = mkdtempSync(join(tmpdir(), 'tagway-runner-'));
  readonly #requests = new Requests();
  readonly #connection: Connection;
  readonly #options: HarnessOptions;
  /** The latest sequence numbers, by node and name. */
  readonly #sequences = new Map<string, number>();
  /** What nodes have stored, by node and key. */
  readonly #stores = new Map<number, Map<string, string>>();
  #wake: () => void = () => undefined;

  /** Begins to load the module with a library's default export. */
  constructor(form: Form, main: string, options: HarnessOptions = {}) {
    this.#options = options;
    const receive: Receive = (message) => this.#take(message);
    this.#connection =
      form === 'inline' ? connectInline(receive) : connectForked(receive, options.execArgv?.(this.folder));
    this.send({ op: 'load', main });
  }

  /** Waits until the module is loaded, or was refused because it is not a plugin. */
  static async open(form: Form, main: string, options?: HarnessOptions): Promise<RunnerHarness> {
    const harness = new RunnerHarness(form, main, options);
    await harness.next((message) => message.op === 'loaded' || message.op === 'unloadable');
    return harness;
  }

  send(message: ToRunner): void {
    this.#connection.send(message);
  }

  /**
   * Sends a question over Node's own channel to a module that `execArgv` has loaded into the process of a forked runner: the module gets
   * it from `process.on('message')` and answers with `process.send`.
   */
  askBeside(question: object): Promise<unknown> {
    return this.#connection.askBeside(question);
  }

  ask(request: RunnerRequest): Promise<unknown> {
    const answer = this.#requests.ask(
      waitLimit,
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
    const end = performance.now() + waitLimit;
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
    this.#requests.abandon(new Fault(ErrorCode.NOT_RUNNING, 'The harness is closed.'));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #take(message: FromRunner): void {
    this.received.push(message);
    if (message.op === 'answer') this.#requests.settle(message);
    if (message.op === 'request') this.#answer(message.id, message.request);
    this.#wake();
  }

  #answer(id: number, request: HostRequest): void {
    if (request.op === 'sequence' || request.op === 'stored' || request.op === 'store') {
      this.send({ op: 'answer', id, value: this.#kept(request) });
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

  #kept(request: Exclude<HostRequest, AppRequest>): unknown {
    switch (request.op) {
      case 'sequence':
        return this.#next(request);
      case 'stored':
        return [...this.#textsOf(request.node)];
      case 'store': {
        const texts = this.#textsOf(request.node);
        for (const [key, text] of request.entries)
          if (text === null) texts.delete(key);
          else texts.set(key, text);
        return undefined;
      }
    }
  }

  #textsOf(node: number): Map<string, string> {
    const texts = this.#stores.get(node) ?? new Map<string, string>();
    this.#stores.set(node, texts);
    return texts;
  }

  #next({ node, name, least }: Extract<HostRequest, { op: 'sequence' }>): number {
    const key = `${node}/${name}`;
    const next = Math.max((this.#sequences.get(key) ?? -1) + 1, least);
    this.#sequences.set(key, next);
    return next;
  }

  #startOf(node: number, settings: object): Extract<RunnerRequest, { op: 'start' }> {
    return {
      op: 'start',
      node,
      name: `node ${node}`,
      level: 'debug',
      settings: { ...settings },
      dataDir: join(this.folder, String(node)),
      ...(this.#options.inputs && { inputs: this.#options.inputs }),
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
    askBeside: () => Promise.reject(new Error('Only a forked runner can be asked beside its channel.')),
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
    protocolError: () => child.kill('SIGKILL'),
  });
  // A test notices that the child has ended by the messages that are missing.
  child.on('error', () => undefined);
  stream.on('error', () => undefined);
  return {
    send: (message) => wire.send(message),
    async askBeside(question) {
      child.send(question);
      const [answer] = (await once(child, 'message', {
        signal: AbortSignal.timeout(waitLimit),
      })) as unknown[];
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
