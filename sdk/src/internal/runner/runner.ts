import { pathToFileURL } from 'node:url';
import { ErrorCode } from '@tagway/schemas';
import { type AppPlugin, isApp, type PreviewMessage } from '../../app.ts';
import { type DriverPlugin, isDriver } from '../../driver.ts';
import { Fault } from '../../fault.ts';
import type { Clock } from '../../context.ts';
import type { Layout, Sample } from '../../sample.ts';
import { AppNode } from './app-node.ts';
import { systemClock } from './clock.ts';
import { tryConnection } from './connection-test.ts';
import { DriverNode } from './driver-node.ts';
import { KnownLayouts, readsOfTest } from '../inputs/known-layouts.ts';
import { Exclusive } from './exclusive.ts';
import { KnownSubscriptions } from './known-subscriptions.ts';
import { MeterPulse } from '../meters/meter-pulse.ts';
import { NodeContext, type RunnerServices, type StartRequest } from './node-context.ts';
import { faultData, type FaultData } from '../channel/fault-data.ts';
import type { AskHost } from '../channel/host-request.ts';
import type { Port, RunnerRequest, SampleData, SubscriptionsData, ToRunner } from '../channel/protocol.ts';
import { Requests } from '../channel/requests.ts';
import { sampleOf } from '../samples/sample-builder.ts';
import { askPeers } from './peer-calls.ts';
import { SampleOutlet } from '../samples/sample-outlet.ts';
import { Alarms } from './schedule.ts';
import { subscriptionOf } from './subscription-names.ts';
import { writesOf } from './write-results.ts';
import { checkTags, countRequests } from './tag-check.ts';
import { TailNode } from './tail-node.ts';

/** How long an app's request to the host may take, in milliseconds. */
const requestDeadline = 150_000;

/** Runs the nodes of one plugin as the host orders through a port. The same code runs forked and inline. */
export class Runner implements AsyncDisposable {
  readonly #port: Port;
  readonly #nodes = new Map<number, DriverNode | AppNode | TailNode>();
  /** Runs that are being stopped, by node: the next run of the node waits for them. */
  readonly #endings = new Map<number, Promise<void>>();
  readonly #layouts = new KnownLayouts();
  readonly #subscriptions = new KnownSubscriptions();
  readonly #requests = new Requests();
  readonly #services: RunnerServices;
  readonly #outlet: SampleOutlet<SampleData>;
  readonly #meters: MeterPulse;
  #plugin: DriverPlugin | AppPlugin | undefined;

  constructor(port: Port, clock: Clock = systemClock) {
    this.#port = port;
    const send = (sample: SampleData, done: () => void): void => {
      port.send({ op: 'sample', sample }, done);
      this.#meters.besideSample();
    };
    this.#outlet = new SampleOutlet(send, {
      versionOf: ({ version }) => version,
      dropped: (sample) => {
        for (const node of this.#nodes.values())
          if (node instanceof DriverNode && node.has(sample.group)) node.context.countDropped(sample);
      },
    });
    this.#services = {
      port,
      exclusive: new Exclusive(),
      ask: this.#ask,
      clock,
      alarms: new Alarms(clock),
      inOrder: (notice) => this.#outlet.after(notice),
    };
    this.#meters = new MeterPulse(port, () => Array.from(this.#nodes.values(), ({ context }) => context));
    port.onMessage((message) => this.#take(message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#meters[Symbol.dispose]();
    const nodes = [...this.#nodes.values()];
    this.#nodes.clear();
    await Promise.all(nodes.map((node) => node.stop()));
    this.#requests.abandon(new Fault(ErrorCode.NOT_RUNNING, 'The runner has ended.'));
  }

  #take(message: ToRunner): void {
    switch (message.op) {
      case 'sample':
        this.#deliver(message.sample, message.layout, message.node);
        this.#meters.besideSample();
        break;
      case 'load':
        void this.#load(message.main, message.revision);
        break;
      case 'request':
        void this.#reply(message.id, message.request);
        break;
      case 'group':
        this.#setGroup(message);
        break;
      case 'ungroup':
        void this.#driverNode(message.node)?.removeGroup(message.group);
        break;
      case 'subscriptions':
        this.#setSubscriptions(message.node, message);
        break;
      case 'pair': {
        const node = this.#nodes.get(message.node);
        if (node instanceof AppNode) node.pairChanged(message.pair);
        break;
      }
      case 'drivers':
        for (const node of this.#apps()) node.driversChanged(message.drivers);
        break;
      case 'alarms':
        for (const node of this.#apps()) node.deliverAlarms(message.events, message.group);
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

  #deliver(data: SampleData, own: Layout | undefined, only: number | undefined): void {
    const layout = own ?? this.#layouts.get(data.group);
    // Nobody here wants the group any more.
    if (layout === undefined) return;
    const sample: Sample = sampleOf(data, layout);
    for (const node of this.#nodes.values()) {
      if (only !== undefined && only !== node.context.id) continue;
      if (node instanceof AppNode) node.deliver(sample, data.group, data.way);
      else if (node instanceof DriverNode) node.input(data.group, sample);
    }
  }

  #setGroup({ node: id, config, reads }: Extract<ToRunner, { op: 'group' }>): void {
    if (reads !== undefined) this.#layouts.take(reads);
    this.#driverNode(id)?.setGroup(config, reads && this.#layouts.readsOf(reads));
    if (reads !== undefined) this.#layouts.keep(this.#nodes.values());
  }

  #setSubscriptions(id: number, data: SubscriptionsData): void {
    const node = this.#nodes.get(id);
    this.#layouts.take(data);
    const all = this.#subscriptions.take(id, data);
    if (node instanceof AppNode) node.subscribe(all, this.#layouts);
    else if (node instanceof DriverNode) node.connect(this.#layouts.readsOf(data));
    this.#layouts.keep(this.#nodes.values());
  }

  *#apps(): Iterable<AppNode> {
    for (const node of this.#nodes.values()) if (node instanceof AppNode) yield node;
  }

  async #load(main: string, revision = ''): Promise<void> {
    try {
      const url = pathToFileURL(main);
      url.search = revision;
      const module = (await import(url.href)) as { default?: unknown };
      if (!isDriver(module.default) && !isApp(module.default)) {
        throw new Error('its default export is not made by driver() or app() of the SDK.');
      }
      // Drivers of the first contract had `check` instead, and returned their values.
      if (isDriver(module.default) && typeof module.default.checkTag !== 'function')
        throw new Error('it was built for an earlier contract of the SDK and needs a new release.');
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
      case 'settings': {
        const node = this.#nodes.get(request.node);
        return node instanceof AppNode && node.changeSettings(request.settings);
      }
      case 'poll':
        return this.#driver(request.node).poll(request.group);
      case 'test':
        return this.#driver(request.node).test(request.tag, readsOfTest(request.inputs), request.asTag);
      case 'write':
        return this.#driver(request.node).write(writesOf(request));
      case 'browse':
        return this.#driver(request.node).browse(request.browse);
      case 'trace': {
        const node = this.#nodes.get(request.node);
        return (node instanceof AppNode ? node : this.#driver(request.node)).trace(request.filter);
      }
      case 'clients':
      case 'certificates':
      case 'moveCertificate':
        return askPeers(request, this.#nodes.get(request.node)?.peers, this.#services.clock);
      case 'checkTags':
        return this.#checkTags(request);
      case 'checkSettings':
        return refuse(
          this.#loaded().checkSettings?.(request.settings as never),
          ErrorCode.NODE_SETTING_INVALID,
        );
      case 'countRequests':
        return countRequests(this.#loaded(), request);
      case 'checkSubscription': {
        const plugin = this.#loaded();
        if (!isApp(plugin)) return undefined;
        return refuse(plugin.checkSubscription?.(subscriptionOf(request)), ErrorCode.GROUP_PARAM_INVALID);
      }
      case 'preview':
        return this.#preview(request);
      case 'tryConnection': {
        const plugin = this.#loaded();
        return isApp(plugin) ? tryConnection(plugin, request.name, request.settings) : undefined;
      }
    }
  }

  #preview(request: Extract<RunnerRequest, { op: 'preview' }>): readonly PreviewMessage[] | undefined {
    const plugin = this.#loaded();
    if (!isApp(plugin)) return undefined;
    const { name: node, settings, params, layout } = request;
    const subscription = { ...subscriptionOf({ ...layout, params }), layout };
    const sample = sampleOf(request.sample, layout);
    return plugin.preview?.({ node, settings: settings as never, subscription, sample });
  }

  #checkTags({ tags, settings, rules }: Extract<RunnerRequest, { op: 'checkTags' }>): unknown {
    const plugin = this.#loaded();
    if (!isDriver(plugin)) return tags.map(() => faultData(noDriver, noDriver.code));
    return checkTags(plugin, tags, settings, rules);
  }

  async #start(request: StartRequest): Promise<boolean> {
    const plugin = this.#loaded();
    this.#end(request.node);
    const context = new NodeContext(request, this.#services, this.#freeSeat());
    const refused = (fault: FaultData): void => this.#port.send({ op: 'refused', node: request.node, fault });
    const started = (): void => this.#port.send({ op: 'started', node: request.node });
    const ended = (): void => {
      if (this.#nodes.get(request.node) === node) this.#nodes.delete(request.node);
      this.#port.send({ op: 'tailed', node: request.node });
    };
    const appNode = (definition: AppPlugin): AppNode | TailNode =>
      request.mode === 'tail'
        ? new TailNode(definition, context, this.#ask, { started, ended, refused })
        : new AppNode(definition, context, this.#ask, { started, refused }, request.pair);
    const node = isDriver(plugin)
      ? new DriverNode(plugin, context, this.#outlet, { started, refused })
      : appNode(plugin);
    // Registered at once, so that the groups and samples that follow the request find it.
    this.#nodes.set(request.node, node);
    if (request.subscriptions) this.#setSubscriptions(request.node, request.subscriptions);
    await this.#endings.get(request.node);
    if (this.#nodes.get(request.node) === node)
      this.#outlet.after(() => this.#port.send({ op: 'begun', node: request.node }));
    const isStarted = await node.start();
    if (!isStarted && node.failure !== undefined) throw node.failure;
    return isStarted;
  }

  #freeSeat(): number {
    const taken = new Set(Array.from(this.#nodes.values(), ({ context }) => context.seat));
    let seat = 0;
    while (taken.has(seat)) seat++;
    return seat;
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
    this.#subscriptions.forget(id);
    const ending = Promise.all([this.#endings.get(id), node.stop()]).then(() => {
      if (this.#endings.get(id) === ending) this.#endings.delete(id);
    });
    this.#endings.set(id, ending);
  }

  readonly #ask: AskHost = async (request, signal) =>
    (await this.#requests.ask(
      requestDeadline,
      (id) => this.#port.send({ op: 'request', id, request }),
      request.op,
      signal,
    )) as never;

  #driverNode(id: number): DriverNode | undefined {
    const node = this.#nodes.get(id);
    return node instanceof DriverNode ? node : undefined;
  }

  #driver(id: number): DriverNode {
    const node = this.#driverNode(id);
    if (node === undefined) throw new Fault(ErrorCode.NOT_RUNNING, 'The driver does not run.');
    return node;
  }

  #loaded(): DriverPlugin | AppPlugin {
    if (!this.#plugin) throw new Fault(ErrorCode.LIBRARY_OPEN_FAILED, 'The plugin is not loaded.');
    return this.#plugin;
  }
}

/** A plugin's check may return or throw its fault; in both cases the caller gets the code that fits its question. */
function refuse(fault: Fault | undefined, code: number): undefined {
  if (fault) throw new Fault(code, fault.message, { cause: fault });
}

const noDriver = new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'The plugin is an app: it has no tags.');
