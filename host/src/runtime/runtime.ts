import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, LinkState, NodeType } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { BrowsePage, BrowseRequest, DriverState, TagDraft, Value } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import type { Group, GroupReading, Node, Plugin, Tag } from '../core/model.ts';
import type { LastError, NodeMeters, PluginState, Runtime, RuntimeEvents } from '../core/ports.ts';
import { answerApp } from './app-requests.ts';
import { DebugPorts } from './debug-port.ts';
import { poll, testRead, write } from './device-calls.ts';
import { Forwarder } from './forwarder.ts';
import { GroupCaches } from './group-caches.ts';
import { GroupChanges } from './group-changes.ts';
import { launch } from './launch.ts';
import { NodeTrials } from './node-trials.ts';
import { PatternWorkers } from './pattern-worker.ts';
import { checkSettings, checkSubscription, checkTags, preview } from './plugin-checks.ts';
import { RunnerMessages } from './runner-messages.ts';
import { type Run, Runs } from './runs.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { Supervisor } from './supervisor.ts';
import { Trials } from './trials.ts';

/** Milliseconds. */
const waits = {
  /** For a start to succeed or be refused before the caller is told that it goes on in the background. */
  start: 800,
  /** For a node's run to end before the runner is ended with it, if it serves no other node. */
  stop: 2000,
  /** For all runs to end when the gateway does. */
  close: 3000,
} as const;

/** Tags of a group that a runner is told of at once when a node starts; a larger one is sent as one that changed. */
const mostAtOnce = 5000;

/** Runs nodes in the runners of their plugins and carries samples from drivers to the cache and to apps. */
export class PluginRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #runs = new Runs();
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #caches = new GroupCaches();
  readonly #changes = new GroupChanges({
    prepare: (group) => this.#caches.of(group).prepare(),
    send: (group) => this.#sendGroup(group),
    route: (app) => this.#forwarder.route(app),
  });
  readonly #forwarder: Forwarder;
  readonly #messages: RunnerMessages;
  readonly #trials = new Trials();
  readonly #nodeTrials: NodeTrials;
  readonly #debugPorts: DebugPorts;
  readonly #patterns = new PatternWorkers();
  readonly #events: RuntimeEvents;
  #closed = false;

  constructor(options: RuntimeOptions, events: RuntimeEvents) {
    this.#options = options;
    this.#events = events;
    this.#debugPorts = new DebugPorts(options.log);
    this.#nodeTrials = new NodeTrials(options.nodesFolder);
    this.#forwarder = new Forwarder({
      runnerOf: (app) => (this.#runs.get(app)?.known ? this.#supervisors.get(app.plugin.id) : undefined),
      cacheOf: (group) => this.#caches.of(group),
      stateOf: (driver) => this.state(driver),
    });
    this.#messages = new RunnerMessages({
      runs: this.#runs,
      caches: this.#caches,
      forwarder: this.#forwarder,
      log: options.log,
      nodeLog: (node) => options.nodeLog(node),
      refused: (run, fault) => this.#refused(run, fault),
      asked: (plugin, id, request) => void answerApp(this.#supervisor(plugin), events, id, request),
    });
  }

  async start(node: Node): Promise<void> {
    const before = this.#runs.get(node);
    const run = this.#runs.begin(node);
    if (before) this.#fail(node, ErrorCode.DISCONNECTED, `The node "${node.name}" is started anew.`);
    for (const group of node.groups.values()) this.#caches.of(group).clear();
    const supervisor = this.#supervisor(node.plugin);
    supervisor.ensure();
    if (supervisor.isUp) await this.#launch(run);
    await Promise.race([run.launched.promise, delay(waits.start)]);
  }

  async stop(node: Node): Promise<void> {
    const run = this.#runs.get(node);
    if (!run) return;
    const supervisor = this.#supervisor(node.plugin);
    this.#end(run, ErrorCode.NOT_RUNNING, `The node "${node.name}" was stopped.`);
    run.launched.resolve();
    if (!supervisor.isUp) return;
    try {
      await supervisor.ask<'stop'>({ op: 'stop', node: node.id }, waits.stop);
    } catch {
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

  async forget(node: Node): Promise<void> {
    await this.stop(node);
    for (const group of node.groups.values()) this.removed(group);
    this.#supervisors.get(node.plugin.id)?.release('deleted');
    await rm(this.#folder(node), { recursive: true, force: true });
  }

  changed(group: Group): void {
    this.#caches.of(group).invalidate();
    if (this.#runs.get(group.node)?.known || group.subscriptions.size > 0) this.#changes.add(group);
  }

  removed(group: Group): void {
    this.#caches.delete(group.id);
    this.#changes.delete(group);
    this.#forwarder.removed(group);
    this.#supervisors
      .get(group.node.plugin.id)
      ?.send({ op: 'ungroup', node: group.node.id, group: group.id });
  }

  routed(app: Node, fresh: readonly Group[] = []): void {
    this.#forwarder.route(app);
    for (const group of fresh) if (this.#runs.get(group.node)) this.#forwarder.reportLatest(app, group);
  }

  checkTags(
    plugin: Plugin,
    tags: readonly TagDraft[],
    settings?: Readonly<Record<string, unknown>>,
  ): Promise<readonly (Fault | undefined)[]> {
    return checkTags(this.#supervisor(plugin), tags, settings, (tests) => this.tryPatterns(plugin, tests));
  }

  tryPatterns: Runtime['tryPatterns'] = (plugin, tests) => this.#patterns.test(plugin, tests);

  checkSettings: Runtime['checkSettings'] = (plugin, settings) =>
    checkSettings(this.#supervisor(plugin), settings);

  checkSubscription: Runtime['checkSubscription'] = (plugin, subscription) =>
    checkSubscription(this.#supervisor(plugin), subscription);

  preview: Runtime['preview'] = async (app, group, wanted) => {
    const sample = this.#caches.of(group).latest();
    if (sample === undefined)
      throw new Fault(
        ErrorCode.NOT_READY,
        `Nothing has been read of the group "${group.name}" of "${group.node.name}" yet. Start that driver, and look again.`,
      );
    const messages = await preview(this.#supervisor(app), wanted, sample);
    if (messages === undefined)
      throw new Fault(
        ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
        `The plugin "${app.name}" shows no preview of what it sends.`,
      );
    return { time: sample.timestamp, messages };
  };

  async poll(group: Group): Promise<void> {
    this.#changes.sendNow(group);
    await poll(this.#supervisor(group.node.plugin), group);
  }

  reading(group: Group): GroupReading {
    const isUp = this.#supervisors.get(group.node.plugin.id)?.isUp ?? false;
    return this.#caches.of(group).reading(isUp);
  }

  tryNode: Runtime['tryNode'] = (plugin, trial) =>
    this.#nodeTrials.run(this.#supervisor(plugin), trial, () => this.#runs.has(plugin));

  test: Runtime['test'] = (node, tag) => testRead(this.#supervisor(node.plugin), node, tag);

  write(
    node: Node,
    writes: readonly { readonly tag: Tag; readonly value: Value }[],
  ): Promise<readonly (Fault | undefined)[]> {
    return write(this.#supervisor(node.plugin), node, writes);
  }

  browse(node: Node, browse: BrowseRequest): Promise<BrowsePage> {
    const deadline = deadlines.browse + deadlines.abort;
    return this.#supervisor(node.plugin).ask<'browse'>({ op: 'browse', node: node.id, browse }, deadline);
  }

  state(driver: Node): DriverState {
    const { link, reason } = this.#runs.get(driver) ?? { link: LinkState.DISCONNECTED, reason: undefined };
    return { driver: driver.name, running: driver.running, link, ...(reason !== undefined && { reason }) };
  }

  link(node: Node): LinkState {
    return this.#runs.get(node)?.link ?? LinkState.DISCONNECTED;
  }

  down(node: Node): LastError | undefined {
    const { reason, downSince: since } = this.#runs.get(node) ?? {};
    if (reason === undefined || since === undefined) return undefined;
    return { code: ErrorCode.DISCONNECTED, text: reason, time: since, since };
  }

  rtt(node: Node): number {
    return this.#runs.rtt(node);
  }

  leveled(node: Node): void {
    const level = this.#options.levelOf(node.name);
    if (this.#runs.get(node)?.known)
      this.#supervisor(node.plugin).send({ op: 'level', node: node.id, level });
  }

  lastError(group: Group): LastError | undefined {
    return this.#caches.get(group.id)?.lastError;
  }

  meters(node: Node): NodeMeters {
    return this.#runs.meters(node);
  }

  pluginState(plugin: Plugin): PluginState {
    return this.#supervisors.get(plugin.id)?.state ?? 'idle';
  }

  async replace(plugin: Plugin, { trial }: { readonly trial: boolean }): Promise<void> {
    const old = this.#supervisors.get(plugin.id);
    if (!old) return;
    const ran = new Set(this.#runs.of(plugin).flatMap((run) => (run.started ? [run.node] : [])));
    const stops = this.#runs
      .of(plugin)
      .map(({ node }) => old.ask<'stop'>({ op: 'stop', node: node.id }, waits.stop));
    await Promise.allSettled(stops);
    await old.close();
    if (this.#closed) return;
    this.#supervisors.delete(plugin.id);
    this.#down(plugin, 'was ended for another version of the plugin');
    const [runs, supervisor] = [this.#runs.renew(plugin), this.#supervisor(plugin)];
    if (runs.length === 0) return;
    // Whoever debugs a version wants to see how it fails.
    const isTried = trial && this.#debugPorts.of(plugin) === undefined;
    if (isTried) await this.#trials.hold(supervisor, runs, ran);
    else supervisor.ensure();
  }

  async debug(plugin: Plugin, port: number | undefined): Promise<void> {
    if (await this.#debugPorts.set(plugin, port)) await this.replace(plugin, { trial: false });
  }

  retire(plugin: Plugin): void {
    void this.#debugPorts.set(plugin, undefined);
    void this.#supervisors.get(plugin.id)?.close();
    this.#supervisors.delete(plugin.id);
  }

  /** Ends all runs and runners. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.close();
    const stops = this.#runs.all().map(({ node }) => this.stop(node));
    await Promise.race([Promise.all(stops), delay(waits.close)]);
    for (const supervisor of this.#supervisors.values()) void supervisor.close();
  }

  #supervisor(plugin: Plugin): Supervisor {
    let supervisor = this.#supervisors.get(plugin.id);
    if (!supervisor) {
      supervisor = new Supervisor(
        plugin,
        this.#options.open,
        {
          up: () => this.#replay(plugin),
          down: (reason) => this.#down(plugin, reason),
          message: (message) =>
            this.#nodeTrials.take(plugin, message) || this.#messages.take(plugin, message),
          dropped: (sample) => this.#messages.dropped(plugin, sample),
          needed: () => this.#runs.has(plugin),
          withoutSecrets: (line) => this.#options.withoutSecrets(line, this.#runs.namesOf(plugin)),
          debugPort: () => this.#debugPorts.of(plugin),
          debugPortTaken: () => this.#debugPorts.giveUp(plugin),
        },
        this.#options.log,
        this.#options.times,
      );
      this.#supervisors.set(plugin.id, supervisor);
    }
    return supervisor;
  }

  #folder({ id }: Node): string {
    return join(this.#options.nodesFolder, String(id));
  }

  /** First start, recovery after a crash and an upgrade are all this: tell the new runner what it is to run. */
  #replay(plugin: Plugin): void {
    for (const run of this.#runs.of(plugin)) {
      this.#launch(run).catch((error: unknown) => {
        this.#options.log.error(`The node "${run.node.name}" could not be started: ${String(error)}`);
      });
    }
  }

  async #launch(run: Run): Promise<void> {
    const { node } = run;
    const supervisor = this.#supervisor(node.plugin);
    await mkdir(this.#folder(node), { recursive: true });
    if (!this.#runs.isCurrent(run) || run.known || !supervisor.isUp) return;
    run.known = true;
    const isApp = node.plugin.nodeType === NodeType.APP;
    launch(supervisor, run, {
      dataDir: this.#folder(node),
      level: this.#options.levelOf(node.name),
      ...(isApp && { subscriptions: this.#forwarder.subscriptionsOf(node, supervisor) }),
    });
    if (!isApp) {
      for (const group of node.groups.values())
        if (group.tags.size > mostAtOnce) this.#changes.add(group);
        else this.#sendGroup(group);
      this.#forwarder.tellState(node);
    }
  }

  #sendGroup(group: Group): void {
    if (!this.#runs.get(group.node)?.known) return;
    const config = this.#caches.of(group).config();
    this.#supervisor(group.node.plugin).send({ op: 'group', node: group.node.id, config });
  }

  #refused(run: Run, fault: Fault): void {
    if (this.#trials.takes(run, fault)) return;
    this.#end(run, ErrorCode.NOT_RUNNING, `The node "${run.node.name}" cannot start: ${fault.message}`);
    run.launched.reject(fault);
    this.#events.refused(run.node, fault);
    this.#forwarder.tellState(run.node);
    this.#supervisor(run.node.plugin).release();
  }

  /** The run is over: subscribers of its node learn why, once per group. */
  #end(run: Run, code: number, reason: string): void {
    const { node } = run;
    this.#runs.end(run);
    this.#supervisors.get(node.plugin.id)?.forgetApp(node.id);
    this.#forwarder.rerouted();
    this.#fail(node, code, reason);
  }

  /** The runner of a plugin is gone: its nodes are disconnected, and subscribers learn it once per group. */
  #down(plugin: Plugin, why: string): void {
    const reason = `The runner of the plugin "${plugin.name}" ${why}; it is started again shortly.`;
    for (const run of this.#runs.of(plugin)) {
      this.#runs.lose(run, reason);
      this.#fail(run.node, ErrorCode.DISCONNECTED, reason);
    }
    this.#forwarder.rerouted();
  }

  #fail(driver: Node, code: number, reason: string): void {
    this.#forwarder.tellState(driver);
    for (const group of driver.groups.values()) {
      const cache = this.#caches.of(group);
      cache.clear();
      if (group.subscriptions.size > 0) this.#forwarder.forward(group, cache.failed(code, reason));
    }
  }
}
