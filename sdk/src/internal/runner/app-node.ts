import { isDeepStrictEqual } from 'node:util';
import type { Reference } from '@tagway/schemas';
import type { AlarmEvent } from '../../alarm.ts';
import type { App, AppContext, AppDefinition, DriverState, GatewayPair, Subscription } from '../../app.ts';
import type { Context } from '../../context.ts';
import type { Layout, Sample } from '../../sample.ts';
import { FollowedSamples } from './followed-samples.ts';
import { noMessages } from './frame-tracer.ts';
import { withRequests } from './host-requests.ts';
import { Lifecycle, type NodeEvents, RunnerNode } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import { faultData } from '../channel/fault-data.ts';
import type { AskHost } from '../channel/host-request.ts';
import type { SubscriptionsData, TraceFilter } from '../channel/protocol.ts';
import { AppInputs } from '../inputs/app-inputs.ts';
import type { KnownLayouts, Reads } from '../inputs/known-layouts.ts';
import type { SampleWay } from '../samples/sample-way.ts';
import { SampleQueue } from '../samples/sample-queue.ts';

/** Bytes of samples held for an app that is still busy with an earlier one. */
const queueBytes = 16_000_000;

/** Runs one app node: reports its subscriptions and drivers to it, and delivers the samples of its groups, one at a time. */
export class AppNode extends RunnerNode<App> {
  protected readonly life: Lifecycle<App>;
  readonly #queue = new SampleQueue<Sample>(queueBytes, {
    versionOf: (sample) => sample.layout.version,
    dropped: (sample) => this.context.countDropped(sample),
  });
  /** By the number of the group. */
  #subscriptions = new Map<number, Subscription>();
  #groupOf = new WeakMap<Layout, number>();
  #drivers: readonly DriverState[] = [];
  #pair: GatewayPair | undefined;
  readonly #inputs = new AppInputs();
  #delivering = false;
  /** From the first followed reading on. */
  #followed: FollowedSamples | undefined;

  constructor(
    definition: AppDefinition<never, never>,
    context: NodeContext,
    ask: AskHost,
    { started, refused }: NodeEvents,
    pair?: GatewayPair,
  ) {
    super(context);
    this.#pair = pair;
    let reported = pair;
    const create = (run: Context): App => {
      reported = this.#pair;
      const messages: AppContext['messages'] = (source) => context.frames.add(source);
      const own = { messages, ...(reported && { pair: reported }) };
      return definition.create({ ...withRequests(run, context.id, ask), ...own } as never);
    };
    this.life = new Lifecycle(context, create, {
      started: (instance) => {
        this.#call(() => instance.subscriptionsChanged([...this.#subscriptions.values()]));
        this.#call(() => instance.driversChanged?.(this.#drivers));
        const now = this.#pair;
        if (now !== undefined && now !== reported) this.#call(() => instance.pairChanged?.(now));
        this.#reportInputs();
        started();
      },
      failed: () => this.#queue.clear(),
      refused: (fault) => refused(faultData(fault, fault.code)),
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.#queue.clear();
  }

  override get wanted(): Iterable<number> {
    return [...this.#subscriptions.keys(), ...this.#inputs.groups];
  }

  subscribe(data: SubscriptionsData, layouts: Pick<KnownLayouts, 'get' | 'readsOf'>): void {
    const { subscriptions, drivers, reads } = data;
    const before = this.#subscriptions;
    this.#subscriptions = new Map();
    for (const { id, group, params } of subscriptions) {
      const layout = layouts.get(group);
      if (layout === undefined) continue;
      const old = before.get(group);
      const isSame = old?.layout === layout && old.id === id && isDeepStrictEqual(old.params, params);
      const fresh = { id, driver: layout.driver, group: layout.group, layout };
      this.#subscriptions.set(group, isSame ? old : { ...fresh, ...(params !== undefined && { params }) });
    }
    const changed =
      before.size !== this.#subscriptions.size ||
      [...this.#subscriptions].some(([group, subscription]) => before.get(group) !== subscription);
    if (changed) this.#notify((instance) => instance.subscriptionsChanged([...this.#subscriptions.values()]));
    this.#setDrivers(drivers);
    if (reads?.references !== undefined) this.#connect(reads.references, layouts.readsOf(data));
  }

  /** Its settings refer to these, and it reads these groups. While samples wait, the change is reported behind them. */
  #connect(references: readonly Reference[], reads: Reads): void {
    if (!this.#inputs.connect(references, reads) || !this.life.instance) return;
    if (this.#delivering) this.#queue.push(() => this.#reportInputs());
    else this.#reportInputs();
  }

  /** Takes the states of drivers that changed, whether this app subscribes to them or not. */
  driversChanged(fresh: readonly DriverState[]): void {
    const mine = new Map(this.#drivers.map((state) => [state.driver, state]));
    const known = fresh.filter(({ driver }) => mine.has(driver));
    if (known.length === 0) return;
    for (const state of known) mine.set(state.driver, state);
    this.#setDrivers([...mine.values()]);
  }

  /** Shows the messages from here on; no filter ends that. */
  trace(filter: TraceFilter | undefined): undefined {
    const { frames } = this.context;
    if (filter === undefined) frames.end();
    // What sends them is there when the app is.
    else if (this.life.instance === undefined) frames.prepare(filter);
    else frames.begin(filter, noMessages);
  }

  /** Whether the app goes on with other settings. An attempt to start it that comes later has them in any case. */
  changeSettings(settings: Readonly<Record<string, unknown>>): boolean {
    const { instance } = this.life;
    if (instance?.settingsChanged === undefined) return false;
    try {
      if (!instance.settingsChanged(this.context.take(settings))) return false;
    } catch (error) {
      this.context.log.error('The app failed to take other settings while it runs; it is started anew.', {
        error,
      });
      return false;
    }
    return true;
  }

  pairChanged(pair: GatewayPair): void {
    if (isDeepStrictEqual(pair, this.#pair)) return;
    this.#pair = pair;
    this.#notify((instance) => instance.pairChanged?.(pair));
  }

  /** Takes a sample if this app subscribes to its group, or reads it. */
  deliver(sample: Sample, group: number, way?: SampleWay): void {
    const isWanted = this.#subscriptions.has(group) || this.#inputs.has(group);
    if (!isWanted || !this.life.instance) return;
    this.#groupOf.set(sample.layout, group);
    if (way !== undefined) (this.#followed ??= new FollowedSamples(this.context)).arrived(sample, group, way);
    if (this.#delivering) this.#queue.push(sample);
    else this.#deliver(sample);
  }

  /** Takes what has happened to alarms of a group if this app subscribes to it. Apps keep what they send on; nothing waits for them. */
  deliverAlarms(events: readonly AlarmEvent[], group: number): void {
    const subscription = this.#subscriptions.get(group);
    const { instance } = this.life;
    if (subscription === undefined || instance?.deliverAlarms === undefined) return;
    try {
      instance.deliverAlarms(events, subscription);
    } catch (error) {
      this.context.log.error('The app failed to take events of alarms.', { error });
    }
  }

  /** While samples wait, the change is queued behind them. */
  #setDrivers(drivers: readonly DriverState[]): void {
    if (isDeepStrictEqual(drivers, this.#drivers)) return;
    this.#drivers = drivers;
    const notify = (): void => this.#notify((instance) => instance.driversChanged?.(drivers));
    if (this.#delivering) this.#queue.push(notify);
    else notify();
  }

  #notify(what: (instance: App) => void): void {
    const { instance } = this.life;
    if (instance !== undefined) this.#call(() => what(instance));
  }

  #call(what: () => void): void {
    try {
      what();
    } catch (error) {
      this.context.log.error('The app failed to take a change of its subscriptions or drivers.', { error });
    }
  }

  #deliver(sample: Sample): void {
    const group = this.#groupOf.get(sample.layout) ?? 0;
    if (this.#inputs.has(group)) {
      this.#hand((instance) =>
        this.#inputs.deliver(group, sample, (inputs) => instance.deliverInputs?.(inputs)),
      );
      return;
    }
    const subscription = this.#subscriptions.get(group);
    if (subscription === undefined) return;
    const followed = this.#followed;
    if (followed === undefined) this.#hand((instance) => instance.deliver(sample, subscription));
    else this.#hand((instance) => followed.deliver(instance, sample, subscription));
  }

  #reportInputs(): void {
    const now = this.context.clock.now();
    this.#hand((instance) => this.#inputs.reportAll(now, (inputs) => instance.deliverInputs?.(inputs)));
  }

  #hand(what: (instance: App) => void | Promise<void>): void {
    const { instance } = this.life;
    if (!instance) return;
    try {
      const delivery = what(instance);
      if (delivery) void this.#await(delivery);
    } catch (error) {
      this.context.log.error('The app failed to take a sample.', { error });
    }
  }

  async #await(delivery: Promise<void>): Promise<void> {
    this.#delivering = true;
    try {
      await delivery;
    } catch (error) {
      this.context.log.error('The app failed to take a sample.', { error });
    }
    this.#delivering = false;
    while (!this.#isDelivering()) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (typeof next === 'function') next();
      else this.#deliver(next);
    }
  }

  #isDelivering(): boolean {
    return this.#delivering;
  }
}
