import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataType } from '@tagway/schemas';
import {
  type FromRunner,
  type GroupConfig,
  inlineRunner,
  layoutOf,
  Requests,
  type RunnerRequest,
  type RunnerTag,
  type ToRunner,
} from '@tagway/sdk/runner';

export type Form = 'inline' | 'forked';

/** A runner as a host sees it: what it sent, and ways to wait for more. */
export class Line implements AsyncDisposable {
  readonly received: FromRunner[] = [];
  readonly #send: (message: ToRunner) => void;
  readonly #close: () => Promise<void>;
  readonly #requests = new Requests();
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagway-runner-'));
  #wake: () => void = () => undefined;

  private constructor(
    connect: (receive: (message: FromRunner) => void) => [(message: ToRunner) => void, () => Promise<void>],
  ) {
    [this.#send, this.#close] = connect((message) => {
      this.received.push(message);
      if (message.op === 'answer') this.#requests.settle(message);
      this.#wake();
    });
  }

  static async open(form: Form, plugin: string): Promise<Line> {
    const line = new Line(form === 'inline' ? connectInline : connectForked);
    line.send({ op: 'load', main: fileURLToPath(import.meta.resolve(`./plugins/${plugin}.ts`)) });
    await line.next((message) => message.op === 'loaded' || message.op === 'unloadable');
    return line;
  }

  send(message: ToRunner): void {
    this.#send(message);
  }

  ask(request: RunnerRequest): Promise<unknown> {
    return this.#requests.ask(10_000, (id) => this.send({ op: 'request', id, request }), request.op);
  }

  start(node: number, settings: object = {}): Promise<unknown> {
    return this.ask({
      op: 'start',
      node,
      name: `node ${node}`,
      settings: { ...settings },
      dataDir: join(this.#folder, String(node)),
      level: 'debug',
    });
  }

  /** Waits for a message that was not there before or is still to come. */
  async next<M extends FromRunner>(matches: (message: FromRunner) => message is M, from?: number): Promise<M>;
  async next(matches: (message: FromRunner) => boolean, from?: number): Promise<FromRunner>;
  async next(matches: (message: FromRunner) => boolean, from = 0): Promise<FromRunner> {
    for (;;) {
      const found = this.received.slice(from).find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function connectInline(
  receive: (message: FromRunner) => void,
): [(message: ToRunner) => void, () => Promise<void>] {
  const runner = inlineRunner(receive);
  return [(message) => runner.send(message), async () => runner[Symbol.asyncDispose]()];
}

function connectForked(
  receive: (message: FromRunner) => void,
): [(message: ToRunner) => void, () => Promise<void>] {
  const entry = fileURLToPath(import.meta.resolve('@tagway/sdk/runner/process'));
  const child = fork(entry, ['test'], { serialization: 'advanced', execArgv: ['--conditions=source'] });
  child.on('message', (message) => receive(message as FromRunner));
  return [
    (message) => void child.send(message),
    async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  ];
}

export function tag(name: string, address: string, more: Partial<RunnerTag> = {}): RunnerTag {
  return { name, address, type: DataType.INT16, attribute: 1, precision: 0, decimal: 0, bias: 0, ...more };
}

let version = 0;

export function group(id: number, interval: number, tags: readonly RunnerTag[]): GroupConfig {
  return { group: id, interval, tags, layout: layoutOf(++version, 'plant', `group ${id}`, tags) };
}

export function isSample(message: FromRunner): message is Extract<FromRunner, { op: 'sample' }> {
  return message.op === 'sample';
}

export function isLog(text: string): (message: FromRunner) => message is Extract<FromRunner, { op: 'log' }> {
  return (message): message is Extract<FromRunner, { op: 'log' }> =>
    message.op === 'log' && message.message.includes(text);
}
