import { pathToFileURL } from 'node:url';
import { ErrorCode } from '@tagway/schemas';
import { type AppPlugin, isApp } from '../app.ts';
import { type DriverPlugin, isDriver } from '../driver.ts';
import { Fault } from '../fault.ts';
import type { Layout } from '../sample.ts';
import { AppNode, type AskHost } from './app-node.ts';
import { type RunnerClock, systemClock } from './clock.ts';
import { DriverNode } from './driver-node.ts';
import { Exclusive } from './exclusive.ts';
import { NodeContext, type StartRequest } from './node-context.ts';
import type { Port } from './port.ts';
import {
  faultData,
  type FaultData,
  type HostRequest,
  type RunnerRequest,
  type ToRunner,
} from './protocol.ts';
import { Requests } from './requests.ts';
import { SampleOutlet } from './sample-queue.ts';

/** How often meters that changed are sent, in milliseconds. */
const meterInterval = 1000;
/** How long an app's request to the host may take, in milliseconds. */
const requestDeadline = 150_000;

/** Runs the nodes of one plugin, as the host tells it through a port. The same code runs forked and inline. */
export class Runner implements AsyncDisposable {
  readonly #port: Port;
  readonly #clock: RunnerClock;
  readonly #nodes = new Map<number, DriverNode | AppNode>();
  /** Ends of runs that are still under way, by node: the next run of the node waits for them. */
  readonly #endings = new Map<number, Promise<void>>();
  readonly #layouts = new Map<number, Layout>();
  readonly #exclusive = new Exclusive();
  readonly #requests = new Requests();
  readonly #outlet: SampleOutlet;
  readonly #meterTimer: NodeJS.Timeout;
  #plugin: DriverPlugin | AppPlugin | undefined;

  constructor(port: Port, clock: RunnerClock = systemClock) {
    this.#port = port;
    this.#clock = clock;
    this.#outlet = new SampleOutlet((sample, done) => port.send({ op: 'sample', sample }, done));
    this.#meterTimer = setInterval(() => {
      for (const node of this.#nodes.values()) node.context.flushMeters();
    }, meterInterval).unref();
    port.onMessage((message) => this.#take(message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#meterTimer);
    const nodes = [...this.#nodes.values()];
    this.#nodes.clear();
    await Promise.all(nodes.map((node) => node.stop()));
    this.#requests.abandon(new Fault(ErrorCode.NOT_RUNNING, 'The runner has ended.'));
  }

  #take(message: ToRunner): void {
    switch (message.op) {
      case 'sample':
        for (const [id, node] of this.#nodes) {
          if (node instanceof AppNode && (message.node === undefined || message.node === id))
            node.deliver(message.sample);
        }
        break;
      case 'load':
        void this.#load(message.main, message.revision);
        break;
      case 'request':
        void this.#reply(message.id, message.request);
        break;
      case 'group': {
        const node = this.#nodes.get(message.node);
        if (node instanceof DriverNode) node.setGroup(message.config);
        break;
      }
      case 'ungroup': {
        const node = this.#nodes.get(message.node);
        if (node instanceof DriverNode) void node.removeGroup(message.group);
        break;
      }
      case 'routes': {
        const node = this.#nodes.get(message.node);
        if (node instanceof AppNode) node.setRoutes(message.routes);
        break;
      }
      case 'layout':
        this.#layouts.set(message.group, message.layout);
        for (const node of this.#nodes.values()) if (node instanceof AppNode) node.relayout(message.group);
        break;
      case 'level': {
        const node = this.#nodes.get(message.node);
        if (node) node.context.log.level = message.level;
        break;
      }
      case 'answer':
        this.#requests.settle(message);
        break;
    }
  }

  async #load(main: string, revision = ''): Promise<void> {
    try {
      const url = pathToFileURL(main);
      url.search = revision;
      const module = (await import(url.href)) as { default?: unknown };
      if (!isDriver(module.default) && !isApp(module.default)) {
        throw new Error('its default export is not made by driver() or app() of the SDK.');
      }
      this.#plugin = module.default;
      this.#port.send({ op: 'loaded', kind: isDriver(module.default) ? 'driver' : 'app' });
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#port.send({ op: 'unloadable', message: reason });
    }
  }

  async #reply(id: number, request: RunnerRequest): Promise<void> {
    try {
      this.#port.send({ op: 'answer', id, value: await this.#perform(request) });
    } catch (error) {
      this.#port.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
    }
  }

  #perform(request: RunnerRequest): unknown {
    switch (request.op) {
      case 'ping':
        return undefined;
      case 'start':
        return this.#start(request);
      case 'stop':
        return this.#stop(request.node);
      case 'poll':
        return this.#driver(request.node).poll(request.group);
      case 'test':
        return this.#driver(request.node).test(request.tag);
      case 'write':
        return this.#driver(request.node).write(
          request.writes.map(({ tag, value }) => ({ point: tag, value })),
        );
      case 'scan':
        return this.#driver(request.node).scan(request.scan);
      case 'checkTags':
        return this.#checkTags(request.tags);
      case 'checkSettings':
        this.#refuse(
          this.#loaded().checkSettings?.(request.settings as never),
          ErrorCode.NODE_SETTING_INVALID,
        );
        return undefined;
      case 'checkParams': {
        const plugin = this.#loaded();
        if (isApp(plugin))
          this.#refuse(plugin.checkParams?.(request.params as never), ErrorCode.GROUP_PARAM_INVALID);
        return undefined;
      }
    }
  }

  /** A plugin's check may return or throw its fault; whatever it is, the caller gets a code that fits the question. */
  #refuse(fault: Fault | undefined, code: number): void {
    if (fault) throw new Fault(code, fault.message, { cause: fault });
  }

  #checkTags(tags: readonly Parameters<DriverPlugin['check']>[0][]): readonly number[] {
    const plugin = this.#loaded();
    if (!isDriver(plugin)) return tags.map(() => ErrorCode.TAG_TYPE_UNSUPPORTED);
    return tags.map((tag) => {
      try {
        return plugin.check(tag)?.code ?? 0;
      } catch {
        return ErrorCode.TAG_ADDRESS_INVALID;
      }
    });
  }

  async #start(request: StartRequest): Promise<boolean> {
    const plugin = this.#loaded();
    this.#end(request.node);
    const context = new NodeContext(request, this.#port, this.#exclusive, this.#clock);
    const refused = (fault: FaultData): void => this.#port.send({ op: 'refused', node: request.node, fault });
    const node = isDriver(plugin)
      ? new DriverNode(plugin, context, this.#outlet, refused)
      : new AppNode(plugin, context, this.#layouts, this.#ask, refused);
    // Registered at once, so that the groups and routes that follow the request find it.
    this.#nodes.set(request.node, node);
    await this.#endings.get(request.node);
    return node.start();
  }

  async #stop(id: number): Promise<undefined> {
    this.#end(id);
    await this.#endings.get(id);
    return undefined;
  }

  #end(id: number): void {
    const node = this.#nodes.get(id);
    if (!node) return;
    this.#nodes.delete(id);
    const ending = Promise.all([this.#endings.get(id), node.stop()]).then(() => {
      if (this.#endings.get(id) === ending) this.#endings.delete(id);
    });
    this.#endings.set(id, ending);
  }

  readonly #ask: AskHost = async (request: HostRequest) =>
    (await this.#requests.ask(
      requestDeadline,
      (id) => this.#port.send({ op: 'request', id, request }),
      request.op,
    )) as never;

  #driver(id: number): DriverNode {
    const node = this.#nodes.get(id);
    if (!(node instanceof DriverNode)) throw new Fault(ErrorCode.NOT_RUNNING);
    return node;
  }

  #loaded(): DriverPlugin | AppPlugin {
    if (!this.#plugin) throw new Fault(ErrorCode.LIBRARY_OPEN_FAILED, 'The plugin is not loaded.');
    return this.#plugin;
  }
}
