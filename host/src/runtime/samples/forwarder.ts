import type { DriverState, Layout, Sample } from '@tagway/sdk';
import { dataOf, type SampleWay, type SubscriptionsData } from '@tagway/sdk/internal';
import type { AlarmRecord } from '../../core/alarms/alarm-records.ts';
import type { Group, Node } from '../../core/model.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import { InputReads, type InputSources } from './input-reads.ts';
import { forApps } from './projections.ts';
import type { Supervisor } from '../runners/supervisor.ts';

/** What the forwarder asks of the runtime. */
export interface ForwarderSources extends InputSources {
  /** The runner to which an app's samples go; undefined while the app takes none. */
  runnerOf(app: Node): Supervisor | undefined;
  stateOf(driver: Node): DriverState;
}

/** Where the samples of a group go. */
interface Targets {
  readonly apps: readonly Supervisor[];
  /** Of nodes that read the group. */
  readonly readers: readonly Supervisor[];
}

/**
 * Carries samples and states of drivers to the runners of subscribed apps, and samples to those of nodes that read the group: once per
 * runner, however many of its nodes want them.
 */
export class Forwarder {
  readonly #sources: ForwarderSources;
  readonly #targets = new Map<Group, Targets>();
  readonly #reads: InputReads;
  /** Runners whose apps a layout was sent to because of a sample. */
  readonly #announced = new WeakMap<Layout, WeakSet<Supervisor>>();

  constructor(sources: ForwarderSources) {
    this.#sources = sources;
    this.#reads = new InputReads(sources);
  }

  /** The runs of apps changed. */
  rerouted(): void {
    this.#targets.clear();
  }

  /** All that an app subscribes to, and a node with inputs reads, as its runner gets it when the node starts; it counts as sent from here on. */
  subscriptionsOf(app: Node, runner: Supervisor): SubscriptionsData {
    const data = this.#subscriptionsOf(app, runner);
    runner.sent.subscriptions.all(app.id, data);
    return data;
  }

  #subscriptionsOf(app: Node, runner: Supervisor): SubscriptionsData {
    this.#targets.clear();
    const subscriptions = [...app.subscriptions.values()];
    const { reads, layouts = [] } = app.plugin.inputs === true ? this.#reads.of(app, runner) : noReads;
    const fresh = runner.sent.takeUnsent(app.id, [
      ...subscriptions.map(({ group }) => ({
        group: group.id,
        layout: this.#sources.cacheOf(group).layout,
      })),
      ...layouts,
    ]);
    const drivers = new Set([...subscriptions.map(({ group }) => group.node), ...(app.named ?? [])]);
    return {
      subscriptions: subscriptions.map(({ id, group, params }) => ({ id, group: group.id, params })),
      layouts: fresh,
      drivers: [...drivers].map((driver) => this.#sources.stateOf(driver)),
      ...(reads && { reads }),
    };
  }

  /** Sends an app's runner all its subscriptions. */
  route(app: Node): void {
    const runner = this.#sources.runnerOf(app);
    this.#targets.clear();
    // In order with the samples: those before it belong to the subscriptions before it.
    runner?.outlet.after(() => {
      // The run may have ended since, and the runner refuses messages for a run that it does not have.
      if (this.#sources.runnerOf(app) !== runner) return;
      const data = this.#subscriptionsOf(app, runner);
      runner.send({
        op: 'subscriptions',
        node: app.id,
        ...data,
        ...runner.sent.subscriptions.changes(app.id, data),
      });
    });
  }

  /** Sends one app the latest sample of a group at once, unchanged tags included. */
  reportLatest(app: Node, group: Group): void {
    const runner = this.#sources.runnerOf(app);
    const latest = this.#sources.cacheOf(group).latest();
    if (!runner || !latest) return;
    runner.outlet.after(() => runner.sendSample(dataOf(latest, group.id), latest.layout, app.id));
  }

  removed(group: Group): void {
    this.#targets.delete(group);
  }

  /** `forReaders`: not to apps. `way`: of a followed reading. */
  forward(group: Group, sample: Sample, forReaders = false, way?: SampleWay): void {
    const { apps, readers } = this.#targetsOf(group);
    for (const runner of readers) this.#forwardToReaders(group, sample, runner);
    if (apps.length === 0 || forReaders) return;
    const due = forApps(sample);
    if (due === undefined) return;
    const data = dataOf(due, group.id);
    for (const runner of apps) {
      this.#announce(group, sample.layout, runner);
      const outgoing = { ...data, layout: sample.layout };
      runner.outlet.push(way === undefined ? outgoing : { ...outgoing, way });
    }
  }

  /** A runner that does not have the layout yet gets the present sample with it. */
  #forwardToReaders(group: Group, sample: Sample, runner: Supervisor): void {
    const projected = this.#reads.project(group, sample, runner);
    if (projected !== undefined && runner.hasLayout(projected.group, projected.layout))
      runner.outlet.push(projected);
  }

  /** A group may change while its changes are sent: its apps get the layout of a sample before that all the same. */
  #announce(group: Group, layout: Layout, runner: Supervisor): void {
    if (runner.hasLayout(group.id, layout) || this.#sources.cacheOf(group).layout !== layout) return;
    const announced = getOrMake(this.#announced, layout, () => new WeakSet<Supervisor>());
    if (announced.has(runner)) return;
    announced.add(runner);
    for (const app of group.subscriptions.keys()) if (this.#sources.runnerOf(app) === runner) this.route(app);
  }

  /** Sends the state of a driver to the apps that subscribe to it, and to those whose settings name it. */
  sendState(driver: Node): void {
    const targets = new Set([
      ...[...driver.groups.values()].flatMap((group) => this.#targetsOf(group).apps),
      ...this.#runnersOf(driver.namedBy ?? []),
    ]);
    if (targets.size === 0) return;
    const drivers = [this.#sources.stateOf(driver)];
    for (const runner of targets) runner.outlet.after(() => runner.send({ op: 'drivers', drivers }));
  }

  /** Sends what has happened to alarms of a driver to the apps that subscribe to their groups. */
  sendAlarms(driver: Node, records: readonly AlarmRecord[]): void {
    for (const [name, those] of Map.groupBy(records, ({ group }) => group)) {
      const group = driver.groups.get(name);
      const apps = group === undefined ? [] : this.#targetsOf(group).apps;
      if (group === undefined || apps.length === 0) continue;
      const events = those.map(({ id: _id, group: _group, ...event }) => event);
      for (const runner of apps)
        runner.outlet.after(() => runner.send({ op: 'alarms', group: group.id, events }));
    }
  }

  #targetsOf(group: Group): Targets {
    return getOrMake(this.#targets, group, () => ({
      apps: this.#runnersOf(group.subscriptions.keys()),
      readers: group.readers === undefined ? [] : this.#runnersOf(group.readers),
    }));
  }

  #runnersOf(nodes: Iterable<Node>): readonly Supervisor[] {
    const runners = new Set(Array.from(nodes, (node) => this.#sources.runnerOf(node)));
    return [...runners].filter((runner) => runner !== undefined);
  }
}

const noReads: { readonly reads?: undefined; readonly layouts?: undefined } = {};

/** The apps that subscribe to a group, and the nodes that read it. */
export function subscribersOf({ subscriptions, readers }: Group): Node[] {
  return readers === undefined ? [...subscriptions.keys()] : [...subscriptions.keys(), ...readers];
}
