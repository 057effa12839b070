import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, LinkState } from '@tagway/schemas';
import type { Fault, Sample } from '@tagway/sdk';
import type { Group, GroupReading, Node, Plugin } from '../core/model.ts';
import type { Runtime, RuntimeEvents } from '../core/ports/ports.ts';
import { answerApp } from './runners/app-requests.ts';
import { DebugPorts } from './process/debug-port.ts';
import { Endings, stopInOrder } from './runners/endings.ts';
import { browse, poll, testRead, trace, write } from './runners/device-calls.ts';
import { Forwarder, subscribersOf } from './samples/forwarder.ts';
import { GroupCaches } from './samples/group-caches.ts';
import { PeerCalls } from './runners/peer-calls.ts';
import { presentOf } from './samples/present.ts';
import { GroupChanges } from './samples/group-changes.ts';
import { Launcher } from './runners/launcher.ts';
import { NewSettings } from './runners/new-settings.ts';
import { NodeTrials } from './checks/node-trials.ts';
import {
  checkSettings,
  checkSubscription,
  checkTags,
  countRequests,
  preview,
} from './checks/plugin-checks.ts';
import { reroute, RouteChanges } from './samples/route-changes.ts';
import { Runners } from './runners/runners.ts';
import { StandbyApps } from './runners/standby-apps.ts';
import { type MessageSurroundings, RunnerMessages } from './runners/runner-messages.ts';
import { type NodeRun, NodeRuns } from './runners/node-runs.ts';
import { isDriver, type RuntimeOptions, waits } from './runtime-options.ts';
import type { SupervisorEvents } from './runners/supervisor.ts';
import { VersionTrials } from './checks/version-trials.ts';

/** Runs nodes in the runners of their plugins and carries samples from drivers to the cache and to apps. */
export class PluginRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #runs = new NodeRuns();
  readonly #endings = new Endings();
  readonly #runners: Runners;
  readonly #caches = new GroupCaches();
  readonly #changes = new GroupChanges({
    prepare: (group) => this.#caches.of(group).prepare(),
    send: (group) => this.#launcher.sendGroup(group),
    route: (node) => this.#routes.sendNow(node),
  });
  /** What a driver that reads a group has of it now. */
  readonly #presentOf = (group: Group): Sample =>
    presentOf(this.#caches.of(group), this.#runs.get(group.node), this.#runners.get(group.node.plugin));
  readonly #routes = new RouteChanges((app, fresh) => reroute(this.#forwarder, this.#runs, app, fresh));
  readonly #forwarder: Forwarder;
  readonly #launcher: Launcher;
  readonly #newSettings: NewSettings;
  readonly #standbyApps: StandbyApps;
  readonly #messages: RunnerMessages;
  readonly #trials = new VersionTrials();
  readonly #nodeTrials: NodeTrials;
  readonly #debugPorts: DebugPorts;
  readonly #events: RuntimeEvents;
  #closed = false;
  /** No driver runs any more: see `haltDrivers`. */
  #isHalted = false;

  constructor(options: RuntimeOptions, events: RuntimeEvents) {
    this.#options = options;
    this.#events = events;
    this.#runners = new Runners(options, (plugin) => this.#eventsOf(plugin));
    this.#debugPorts = new DebugPorts(options.log);
    this.#nodeTrials = new NodeTrials(options.nodesFolder);
    this.#forwarder = new Forwarder({
      runnerOf: (app) => (this.#runs.takesSamples(app) ? this.#runners.get(app.plugin) : undefined),
      cacheOf: (group) => this.#caches.of(group),
      presentOf: this.#presentOf,
      stateOf: (driver) => this.state(driver),
    });
    this.#launcher = new Launcher(options, {
      runs: this.#runs,
      runners: this.#runners,
      caches: this.#caches,
      forwarder: this.#forwarder,
      traceOf: (driver) => events.traceOf(driver),
      later: (group) => this.#changes.add(group),
    });
    this.#newSettings = new NewSettings(this.#runs, this.#runners, (app) => this.routed(app));
    this.#standbyApps = new StandbyApps(this.#launcher, this.#newSettings, this.reset);
    this.#messages = new RunnerMessages({
      runs: this.#runs,
      caches: this.#caches,
      forwarder: this.#forwarder,
      beforeSample: (group) => this.#routes.settle(group),
      record: this.#record,
      options,
      refused: (run, fault) => this.#refused(run, fault),
      traced: (plugin, frames) => events.traced(plugin, frames),
      tailed: ({ node }) => void this.stop(node),
      listens: ({ node, places }) => events.listens(node, places),
      asked: (plugin, id, request) =>
        void answerApp(this.#runners.of(plugin), events, this.#runs, this.#endings, id, request),
    });
  }

  async start(node: Node): Promise<void> {
    if (this.#isHalted && isDriver(node.plugin)) return;
    const before = this.#runs.get(node);
    if (before?.mode === 'standby') {
      before.mode = 'active';
      this.#launcher.sendPair(before);
      return;
    }
    const isAnew = before !== undefined;
    const taken = before && this.#newSettings.taken(before);
    if (taken !== undefined && (await taken)) return;
    const run = this.#runs.begin(node);
    if (isAnew) this.#fail(node, ErrorCode.DISCONNECTED, `The node "${node.name}" is started anew.`);
    for (const group of node.groups.values()) this.#caches.of(group).clear();
    const supervisor = this.#runners.of(node.plugin);
    supervisor.ensure();
    if (supervisor.isUp) await this.#launcher.launch(run);
    await Promise.race([run.launched.promise, delay(waits.start)]);
  }

  /** A refusal reaches the core by `refused`. */
  reset: Runtime['reset'] = (node) =>
    void (this.#runs.get(node)?.mode === 'active' && this.start(node).catch(() => undefined));

  startDriversAfter: Runtime['startDriversAfter'] = (apps) => this.#launcher.launchDriversAfter(apps);

  startAtStandby: Runtime['startAtStandby'] = (app) => this.#standbyApps.start(app);

  /** `isHalt`: the run ends after the node has, so that what a driver has read by then still reaches the apps. */
  async stop(node: Node, isHalt = false): Promise<void> {
    const run = this.#runs.get(node);
    if (!run) return;
    const supervisor = this.#runners.of(node.plugin);
    if (isHalt) await supervisor.quiet(node.id, waits.stop);
    this.#end(run, ErrorCode.NOT_RUNNING, `The node "${node.name}" was stopped.`);
    run.launched.resolve();
    if (!supervisor.isUp) return;
    if (!(await this.#endings.stop(supervisor, node))) {
      if (this.#runs.has(node.plugin)) {
        this.#options.log.warn(
          `The node "${node.name}" is slow to stop; its plugin "${node.plugin.name}" goes on with it.`,
        );
      } else {
        supervisor.kill();
      }
    }
    supervisor.release();
  }

  async haltDrivers(within: number): Promise<void> {
    this.#isHalted = true;
    const drivers = this.#runs.all().filter(({ node }) => isDriver(node.plugin));
    await Promise.race([Promise.all(drivers.map(({ node }) => this.stop(node, true))), delay(within)]);
    await this.#runners.close(isDriver);
  }

  async forget(node: Node): Promise<void> {
    await this.stop(node);
    for (const group of node.groups.values()) this.removed(group);
    this.#runners.get(node.plugin)?.release('deleted');
    await rm(this.#launcher.folderOf(node), { recursive: true, force: true });
  }

  changed(group: Group): void {
    this.#caches.of(group).invalidate();
    this.#options.history?.changed(group);
    if (this.#runs.get(group.node)?.known || group.subscriptions.size > 0 || group.readers !== undefined)
      this.#changes.add(group);
  }

  removed(group: Group): void {
    this.#caches.delete(group.id);
    this.#changes.delete(group);
    this.#forwarder.removed(group);
    this.#options.history?.removed(group);
    this.#runners.get(group.node.plugin)?.send({ op: 'ungroup', node: group.node.id, group: group.id });
  }

  routed(node: Node, fresh: readonly Group[] = []): void {
    // Groups that it does not want any more do not reach it from here on.
    this.#forwarder.rerouted();
    if (this.#runs.takesSamples(node)) this.#routes.add(node, fresh);
  }

  checkTags: Runtime['checkTags'] = (plugin, tags, settings) =>
    checkTags(this.#runners.of(plugin), tags, settings);

  countRequests: Runtime['countRequests'] = (plugin, tags, settings) =>
    countRequests(this.#runners.of(plugin), tags, settings);

  checkSettings: Runtime['checkSettings'] = (plugin, settings) =>
    checkSettings(this.#runners.of(plugin), settings);

  checkSubscription: Runtime['checkSubscription'] = (plugin, subscription) =>
    checkSubscription(this.#runners.of(plugin), subscription);

  preview: Runtime['preview'] = (app, group, wanted) =>
    preview(this.#runners.of(app), this.#caches.of(group), wanted);

  /** Another gateway of the pair has come, has gone, or has another address. */
  pairChanged = (): void => this.#runs.all().forEach((run) => this.#launcher.sendPair(run));

  alarmed: Runtime['alarmed'] = (node, records) => this.#forwarder.sendAlarms(node, records);

  poll(group: Group): Promise<void> {
    this.#changes.sendNow(group);
    return poll(this.#runners.of(group.node.plugin), group);
  }

  reading(group: Group): GroupReading {
    const isUp = this.#runners.get(group.node.plugin)?.isUp ?? false;
    return this.#caches.of(group).reading(isUp);
  }

  tryNode: Runtime['tryNode'] = (plugin, trial) =>
    this.#nodeTrials.run(this.#runners.of(plugin), trial, () => this.#runs.has(plugin));

  tryConnection: Runtime['tryConnection'] = (plugin, trial) =>
    this.#nodeTrials.tryConnection(this.#runners.of(plugin), trial);

  test: Runtime['test'] = (node, tag, inputs) =>
    testRead(this.#runners.of(node.plugin), node, tag, inputs.map(this.#presentOf));

  write: Runtime['write'] = (node, writes, by) => write(this.#runners.of(node.plugin), node, writes, by);

  browse: Runtime['browse'] = (node, request) => browse(this.#runners.of(node.plugin), node, request);

  trace: Runtime['trace'] = (node, filter) => trace(this.#runners.of(node.plugin), node, filter);

  peers: Runtime['peers'] = (node) => new PeerCalls(this.#runners.of(node.plugin), node);

  state: Runtime['state'] = (driver) => this.#runs.stateOf(driver);

  places: Runtime['places'] = (node) => this.#runs.get(node)?.places ?? [];

  link: Runtime['link'] = (node) => this.#runs.get(node)?.link ?? LinkState.DISCONNECTED;

  down: Runtime['down'] = (node) => this.#runs.down(node);

  rtt: Runtime['rtt'] = (node) => this.#runs.rtt(node);

  leveled: Runtime['leveled'] = (node) => this.#launcher.sendLevel(node);

  lastError: Runtime['lastError'] = (group) => this.#caches.get(group.id)?.lastError;

  meters: Runtime['meters'] = (node) => this.#runs.meters(node);

  pluginState: Runtime['pluginState'] = (plugin) => this.#runners.get(plugin)?.state ?? 'idle';

  replace: Runtime['replace'] = async (plugin, { trial }) => {
    const old = this.#runners.get(plugin);
    if (!old) return undefined;
    this.#trials.end(plugin);
    const before = this.#runs.of(plugin);
    const ran = new Set(before.flatMap((run) => (run.started ? [run.node] : [])));
    await Promise.all(before.map(({ node }) => this.#endings.stop(old, node)));
    await old.close();
    if (this.#closed || (this.#isHalted && isDriver(plugin))) return undefined;
    this.#runners.delete(plugin);
    this.#down(plugin, 'was ended for another version of the plugin');
    const runs = this.#runs.renew(plugin);
    const supervisor = this.#runners.of(plugin);
    if (runs.length === 0) return undefined;
    // A version that is debugged is not rolled back: its author wants to see how it fails.
    const isTried = trial && this.#debugPorts.of(plugin) === undefined;
    supervisor.ensure();
    return isTried ? this.#trials.hold(supervisor, runs, ran) : undefined;
  };

  async debug(plugin: Plugin, port: number | undefined): Promise<void> {
    if (await this.#debugPorts.set(plugin, port)) await this.replace(plugin, { trial: false });
  }

  retire(plugin: Plugin): void {
    void this.#debugPorts.set(plugin, undefined);
    this.#trials.end(plugin);
    void this.#runners.get(plugin)?.close();
    this.#runners.delete(plugin);
  }

  warm: Runtime['warm'] = (plugins) => this.#runners.warm(plugins);

  /** Ends all runs and runners. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.close();
    this.#routes.close();
    await Promise.race([stopInOrder(this.#runs, (node) => this.stop(node)), delay(waits.close)]);
    void this.#runners.close();
  }

  #eventsOf(plugin: Plugin): SupervisorEvents {
    return {
      // At the first start, after a crash and after an upgrade.
      up: () => this.#runs.of(plugin).forEach((run) => this.#launcher.launchLater(run)),
      down: (reason) => this.#down(plugin, reason),
      message: (message) => this.#nodeTrials.take(plugin, message) || this.#messages.take(plugin, message),
      dropped: (sample) => this.#messages.dropped(plugin, sample),
      needed: () => this.#runs.has(plugin) || this.#runners.isWarm(plugin),
      withoutSecrets: (line) => this.#options.withoutSecrets(line, this.#runs.namesOf(plugin)),
      debugPort: () => this.#debugPorts.of(plugin),
      debugPortTaken: () => this.#debugPorts.giveUp(plugin),
    };
  }

  #refused(run: NodeRun, fault: Fault): void {
    if (this.#trials.takes(run, fault)) return;
    if (run.mode === 'standby')
      this.#options.log.error(
        `The node "${run.node.name}" cannot serve at this gateway while it is the standby: ${fault.message} (error ${fault.code})`,
      );
    // The active gateway decides about the state of the node.
    if (run.mode !== 'active') return void this.stop(run.node);
    this.#end(run, ErrorCode.NOT_RUNNING, `The node "${run.node.name}" cannot start: ${fault.message}`);
    run.launched.reject(fault);
    this.#events.refused(run.node, fault);
    this.#forwarder.sendState(run.node);
    this.#runners.of(run.node.plugin).release();
  }

  /** Ends a run; subscribers of its node get the reason, once per group. */
  #end(run: NodeRun, code: number, reason: string): void {
    const { node } = run;
    this.#runs.end(run);
    this.#runners.get(node.plugin)?.forgetApp(node.id);
    this.#forwarder.rerouted();
    this.#fail(node, code, reason);
  }

  /** The runner of a plugin is gone: its nodes are disconnected, and subscribers get that once per group. */
  #down(plugin: Plugin, why: string): void {
    this.#trials.end(plugin, why);
    const reason = `The runner of the plugin "${plugin.name}" ${why}; it is started again shortly.`;
    for (const run of this.#runs.of(plugin)) {
      this.#runs.lose(run, reason);
      this.#fail(run.node, ErrorCode.DISCONNECTED, reason);
    }
    this.#forwarder.rerouted();
  }

  readonly #record: NonNullable<MessageSurroundings['record']> = (cache, sample) => {
    if (cache.group.history > 0) this.#options.history?.take(cache.group, sample, cache.tagsOf(sample));
  };

  #fail(driver: Node, code: number, reason: string): void {
    this.#forwarder.sendState(driver);
    for (const group of driver.groups.values()) {
      this.#routes.settle(group);
      const cache = this.#caches.of(group);
      cache.clear();
      const isKept = this.#options.history !== undefined && group.history > 0;
      const isSubscribed = subscribersOf(group).length > 0;
      if (!isKept && !isSubscribed) continue;
      const failed = cache.failed(code, reason);
      if (isKept) this.#record(cache, failed);
      if (isSubscribed) this.#forwarder.forward(group, failed);
    }
  }
}
