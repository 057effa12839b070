import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, LinkState, type LogLevel, NodeType } from '@tagway/schemas';
import type { Fault, Log, ScanPage, ScanRequest, TagDraft, Value } from '@tagway/sdk';
import { deadlines, faultFrom, type FromRunner } from '@tagway/sdk/internal';
import type { Group, GroupReading, Node, Plugin, Tag } from '../core/model.ts';
import type { PluginState, Runtime, RuntimeEvents } from '../core/ports.ts';
import type { OpenChannel } from './channel.ts';
import { answerApp } from './app-requests.ts';
import { poll, testRead, write } from './device-calls.ts';
import { Forwarder } from './forwarder.ts';
import { GroupCaches } from './group-caches.ts';
import { GroupChanges } from './group-changes.ts';
import { checkParams, checkSettings, checkTags } from './plugin-checks.ts';
import { type Run, Runs } from './runs.ts';
import { Supervisor, type SupervisorTimes } from './supervisor.ts';
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

export interface RuntimeOptions {
  readonly open: OpenChannel;
  readonly log: Log;
  /** The log of a node. */
  nodeLog(node: string): Log & { fatal(message: string, fields?: object): void };
  levelOf(node: string): LogLevel;
  /** Folder below which each node has one of its own. */
  readonly nodesFolder: string;
  readonly times?: SupervisorTimes;
}

/** Runs nodes in the runners of their plugins and carries samples from drivers to the cache and to apps. */
export class PluginRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #runs = new Runs();
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #caches = new GroupCaches();
  readonly #changes = new GroupChanges((group) => this.#sendGroup(group));
  readonly #forwarder: Forwarder;
  readonly #trials = new Trials();
  readonly #events: RuntimeEvents;
  #closed = false;

  constructor(options: RuntimeOptions, events: RuntimeEvents) {
    this.#options = options;
    this.#events = events;
    this.#forwarder = new Forwarder(
      (app) => (this.#runs.get(app)?.known ? this.#supervisors.get(app.plugin.id) : undefined),
      (group) => this.#caches.of(group),
    );
  }

  async start(node: Node): Promise<void> {
    const run = this.#runs.begin(node);
    for (const group of node.groups.values()) this.#caches.of(group).clear();
    const supervisor = this.#supervisor(node.plugin);
    supervisor.ensure();
    if (supervisor.isUp) await this.#launch(run);
    await Promise.race([run.launched.promise, delay(waits.start)]);
  }

  async stop(node: Node): Promise<void> {
    const run = this.#runs.get(node);
    if (!run) return;
    this.#runs.end(run);
    this.#forwarder.rerouted();
    for (const group of node.groups.values()) this.#caches.of(group).clear();
    run.launched.resolve();
    const supervisor = this.#supervisor(node.plugin);
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
    await rm(this.#folder(node), { recursive: true, force: true });
  }

  changed(group: Group): void {
    this.#caches.of(group).invalidate();
    if (!this.#runs.get(group.node)?.known) return;
    this.#changes.add(group);
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

  checkTags(plugin: Plugin, tags: readonly TagDraft[]): Promise<readonly number[]> {
    return checkTags(this.#supervisor(plugin), tags);
  }

  checkSettings(plugin: Plugin, settings: Readonly<Record<string, unknown>>): Promise<void> {
    return checkSettings(this.#supervisor(plugin), settings);
  }

  checkParams(plugin: Plugin, params: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    return checkParams(this.#supervisor(plugin), params);
  }

  async poll(group: Group): Promise<void> {
    this.#changes.sendNow(group);
    await poll(this.#supervisor(group.node.plugin), group);
  }

  reading(group: Group): GroupReading {
    const isUp = this.#supervisors.get(group.node.plugin.id)?.isUp ?? false;
    return this.#caches.of(group).reading(isUp);
  }

  test(node: Node, tag: TagDraft): Promise<Value> {
    return testRead(this.#supervisor(node.plugin), node, tag);
  }

  write(
    node: Node,
    writes: readonly { readonly tag: Tag; readonly value: Value }[],
  ): Promise<readonly (Fault | undefined)[]> {
    return write(this.#supervisor(node.plugin), node, writes);
  }

  scan(node: Node, scan: ScanRequest): Promise<ScanPage> {
    const deadline = deadlines.scan + deadlines.abort;
    return this.#supervisor(node.plugin).ask<'scan'>({ op: 'scan', node: node.id, scan }, deadline);
  }

  link(node: Node): LinkState {
    return this.#runs.get(node)?.link ?? LinkState.DISCONNECTED;
  }

  rtt(node: Node): number {
    return this.#runs.rtt(node);
  }

  leveled(node: Node): void {
    const level = this.#options.levelOf(node.name);
    if (this.#runs.get(node)?.known)
      this.#supervisor(node.plugin).send({ op: 'level', node: node.id, level });
  }

  lastError(group: Group): { readonly code: number; readonly time: number } | undefined {
    return this.#caches.get(group.id)?.lastError;
  }

  counters(node: Node): ReadonlyMap<string, number> {
    return this.#runs.counters(node);
  }

  state(plugin: Plugin): PluginState {
    return this.#supervisors.get(plugin.id)?.state ?? 'idle';
  }

  async replace(plugin: Plugin, { trial }: { readonly trial: boolean }): Promise<void> {
    const old = this.#supervisors.get(plugin.id);
    if (!old) return;
    const stops = this.#runs
      .of(plugin)
      .map(({ node }) => old.ask<'stop'>({ op: 'stop', node: node.id }, waits.stop));
    await Promise.allSettled(stops);
    await old.close();
    if (this.#closed) return;
    this.#forwarder.forget(old);
    this.#supervisors.delete(plugin.id);
    this.#down(plugin);
    const runs = this.#runs.renew(plugin);
    if (runs.length === 0) return;
    const supervisor = this.#supervisor(plugin);
    if (trial) await this.#trials.hold(supervisor, runs);
    else supervisor.ensure();
  }

  retire(plugin: Plugin): void {
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
          down: () => this.#down(plugin),
          message: (message) => this.#take(plugin, message),
          needed: () => this.#runs.has(plugin),
        },
        this.#options.log,
        this.#options.times,
      );
      this.#supervisors.set(plugin.id, supervisor);
    }
    return supervisor;
  }

  #folder(node: Node): string {
    return join(this.#options.nodesFolder, String(node.id));
  }

  /** First start, recovery after a crash and an upgrade are all this: tell the new runner what it is to run. */
  #replay(plugin: Plugin): void {
    this.#forwarder.forget(this.#supervisor(plugin));
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
    const started = supervisor.ask<'start'>(
      {
        op: 'start',
        node: node.id,
        name: node.name,
        settings: node.settings ?? {},
        dataDir: this.#folder(node),
        level: this.#options.levelOf(node.name),
      },
      deadlines.start + deadlines.stop + 4 * deadlines.abort,
    );
    if (node.plugin.nodeType === NodeType.DRIVER) {
      for (const group of node.groups.values()) this.#sendGroup(group);
    } else {
      this.#forwarder.route(node);
    }
    // A refusal arrives as a message of its own, which also tells of those that come later.
    started.then(
      () => {
        run.launched.resolve();
        for (const group of node.subscriptions.keys()) this.#forwarder.reportLatest(node, group);
      },
      () => run.launched.resolve(),
    );
  }

  #sendGroup(group: Group): void {
    if (!this.#runs.get(group.node)?.known) return;
    this.#changes.delete(group);
    const config = this.#caches.of(group).config();
    this.#supervisor(group.node.plugin).send({ op: 'group', node: group.node.id, config });
  }

  #take(plugin: Plugin, message: FromRunner): void {
    switch (message.op) {
      case 'sample': {
        const cache = this.#caches.get(message.sample.group);
        const layout = cache && this.#runs.get(cache.group.node) ? cache.take(message.sample) : undefined;
        if (cache && layout) this.#forwarder.forward(cache.group, message.sample, layout);
        break;
      }
      case 'link':
        this.#runs.setLink(message.node, message.link);
        break;
      case 'meters':
        this.#runs.setMeters(message.node, message.meters);
        break;
      case 'log': {
        const node = message.node === undefined ? undefined : this.#runs.get(message.node)?.node;
        if (node) this.#options.nodeLog(node.name)[message.level](message.message, message.fields);
        else if (message.level !== 'fatal')
          this.#options.log[message.level](`${plugin.name}: ${message.message}`, message.fields);
        break;
      }
      case 'refused':
        this.#refused(this.#runs.get(message.node), faultFrom(message.fault));
        break;
      case 'request':
        void answerApp(this.#supervisor(plugin), this.#events, message.id, message.request);
        break;
      default:
        break;
    }
  }

  #refused(run: Run | undefined, fault: Fault): void {
    if (run === undefined) return;
    if (this.#trials.takes(run, fault)) return;
    this.#runs.end(run);
    this.#forwarder.rerouted();
    run.launched.reject(fault);
    this.#events.refused(run.node, fault);
    this.#supervisor(run.node.plugin).release();
  }

  /** The runner of a plugin is gone: its nodes are disconnected, and subscribers learn it once per group. */
  #down(plugin: Plugin): void {
    for (const run of this.#runs.of(plugin)) {
      run.link = LinkState.DISCONNECTED;
      run.known = false;
      run.meters.clear();
      for (const group of run.node.groups.values()) {
        this.#caches.of(group).clear();
        const { sample, layout } = this.#caches.of(group).failed(ErrorCode.DISCONNECTED);
        this.#forwarder.forward(group, sample, layout);
      }
    }
    this.#forwarder.rerouted();
  }
}
