import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, LinkState, type LogLevel, NodeType } from '@tagway/schemas';
import { Fault, type Log, type TagDraft, type Value } from '@tagway/sdk';
import { deadlines, faultData, faultFrom, type FromRunner, type HostRequest, type RunnerTag } from '@tagway/sdk/runner';
import type { Group, GroupReading, Node, Plugin, Tag } from '../core/model.ts';
import type { Runtime, RuntimeEvents } from '../core/ports.ts';
import type { OpenChannel } from './channel.ts';
import { checkPatterns } from './address-patterns.ts';
import { Forwarder } from './forwarder.ts';
import { GroupCache } from './group-cache.ts';
import { Supervisor, type SupervisorTimes } from './supervisor.ts';

/** Milliseconds. */
const waits = {
  /** For a start to succeed or be refused before the caller is told that it goes on in the background. */
  start: 800,
  /** For a runner to come up so that it can check tags or settings. */
  check: 5000,
  /** For a node's run to end before the runner is ended with it, if it serves no other node. */
  stop: 2000,
  /** For all runs to end when the gateway does. */
  close: 3000,
} as const;

/** The value of `last_rtt_ms` that means "unknown". */
const unknownRtt = 9999;

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

/** A node that is to run. */
interface Run {
  readonly node: Node;
  link: LinkState;
  readonly meters: Map<string, number>;
  /** Settles with the first attempt to start: resolved when it runs or goes on in the background. */
  launched: PromiseWithResolvers<void>;
  /** The runner knows the node. */
  known: boolean;
}

/** Runs nodes in the runners of their plugins and carries samples from drivers to the cache and to apps. */
export class PluginRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #runs = new Map<number, Run>();
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #caches = new Map<number, GroupCache>();
  readonly #dirty = new Set<Group>();
  readonly #forwarder: Forwarder;
  #flushTimer: NodeJS.Timeout | undefined;
  /** Milliseconds that the last flush took: a large group is sent less often while it keeps changing. */
  #flushCost = 1;
  readonly #events: RuntimeEvents;

  constructor(options: RuntimeOptions, events: RuntimeEvents) {
    this.#options = options;
    this.#events = events;
    this.#forwarder = new Forwarder((app) => (this.#runs.get(app.id)?.known ? this.#supervisors.get(app.plugin.id) : undefined));
  }

  async start(node: Node): Promise<void> {
    const run: Run = {
      node,
      link: LinkState.DISCONNECTED,
      meters: new Map(),
      launched: Promise.withResolvers(),
      known: false,
    };
    // Whoever waits gets the rejection below; nobody else has to.
    run.launched.promise.catch(() => undefined);
    this.#runs.set(node.id, run);
    for (const group of node.groups.values()) this.#cache(group).clear();
    const supervisor = this.#supervisor(node.plugin);
    supervisor.ensure();
    if (supervisor.isUp) await this.#launch(run);
    await Promise.race([run.launched.promise, delay(waits.start)]);
  }

  async stop(node: Node): Promise<void> {
    const run = this.#runs.get(node.id);
    if (!run) return;
    this.#runs.delete(node.id);
    this.#forwarder.rerouted();
    for (const group of node.groups.values()) this.#cache(group).clear();
    run.launched.resolve();
    const supervisor = this.#supervisor(node.plugin);
    if (!supervisor.isUp) return;
    try {
      await supervisor.ask<'stop'>({ op: 'stop', node: node.id }, waits.stop);
    } catch {
      if (this.#needs(node.plugin)) {
        this.#options.log.warn(`The node "${node.name}" is slow to stop; its plugin "${node.plugin.name}" goes on with it.`);
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
    this.#cache(group).invalidate();
    if (!this.#runs.get(group.node.id)?.known) return;
    this.#dirty.add(group);
    this.#flushTimer ??= setTimeout(() => this.#flush(), Math.max(20, this.#flushCost * 20));
  }

  removed(group: Group): void {
    this.#caches.delete(group.id);
    this.#dirty.delete(group);
    this.#forwarder.removed(group);
    this.#supervisors.get(group.node.plugin.id)?.send({ op: 'ungroup', node: group.node.id, group: group.id });
  }

  routed(app: Node, fresh: readonly Group[] = []): void {
    this.#forwarder.rerouted();
    if (!this.#runs.get(app.id)?.known) return;
    this.#sendRoutes(app);
    for (const group of fresh) this.#reportLatest(app, group);
  }

  async checkTags(plugin: Plugin, tags: readonly TagDraft[]): Promise<readonly number[]> {
    const codes = checkPatterns(plugin, tags);
    const open = tags.filter((_tag, index) => codes[index] === 0);
    if (open.length === 0) return codes;
    const answers = (await this.#check(plugin, { op: 'checkTags', tags: open })) as readonly number[];
    const rest = answers[Symbol.iterator]();
    return codes.map((code) => (code === 0 ? ((rest.next().value as number | undefined) ?? 0) : code));
  }

  async checkSettings(plugin: Plugin, settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#check(plugin, { op: 'checkSettings', settings });
  }

  async checkParams(plugin: Plugin, params: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    await this.#check(plugin, { op: 'checkParams', params });
  }

  async poll(group: Group): Promise<void> {
    this.#flushIfDirty(group);
    const { node } = group;
    try {
      await this.#supervisor(node.plugin).ask<'poll'>(
        { op: 'poll', node: node.id, group: group.id },
        deadlines.read + deadlines.abort,
      );
    } catch {
      // Whatever went wrong shows in the errors of the group's tags.
    }
  }

  reading(group: Group): GroupReading {
    const isUp = this.#supervisors.get(group.node.plugin.id)?.isUp ?? false;
    return this.#cache(group).reading(isUp);
  }

  test(node: Node, tag: TagDraft): Promise<Value> {
    const deadline = deadlines.read + deadlines.abort;
    return this.#supervisor(node.plugin).ask<'test'>({ op: 'test', node: node.id, tag }, deadline);
  }

  async write(
    node: Node,
    writes: readonly { readonly tag: Tag; readonly value: Value }[],
  ): Promise<readonly (Fault | undefined)[]> {
    const request = {
      op: 'write',
      node: node.id,
      writes: writes.map(({ tag, value }) => ({ tag: draftOf(tag), value })),
    } as const;
    const failed = await this.#supervisor(node.plugin).ask<'write'>(request, deadlines.write + deadlines.abort);
    const faults = new Array<Fault | undefined>(writes.length).fill(undefined);
    for (const [index, fault] of failed) faults[index] = faultFrom(fault);
    return faults;
  }

  link(node: Node): LinkState {
    return this.#runs.get(node.id)?.link ?? LinkState.DISCONNECTED;
  }

  rtt(node: Node): number {
    if (node.plugin.nodeType === NodeType.APP) return 0;
    return this.#runs.get(node.id)?.meters.get('last_rtt_ms') ?? unknownRtt;
  }

  counters(node: Node): ReadonlyMap<string, number> {
    return this.#runs.get(node.id)?.meters ?? new Map<string, number>();
  }

  /** Ends all runs and runners. */
  async close(): Promise<void> {
    clearTimeout(this.#flushTimer);
    const stops = [...this.#runs.values()].map(({ node }) => this.stop(node));
    await Promise.race([Promise.all(stops), delay(waits.close)]);
    for (const supervisor of this.#supervisors.values()) supervisor.close();
  }

  #cache(group: Group): GroupCache {
    let cache = this.#caches.get(group.id);
    if (!cache) {
      cache = new GroupCache(group);
      this.#caches.set(group.id, cache);
    }
    return cache;
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
          needed: () => this.#needs(plugin),
        },
        this.#options.log,
        this.#options.times,
      );
      this.#supervisors.set(plugin.id, supervisor);
    }
    return supervisor;
  }

  #runsOf(plugin: Plugin): Run[] {
    return [...this.#runs.values()].filter((run) => run.node.plugin.id === plugin.id);
  }

  #needs(plugin: Plugin): boolean {
    return this.#runsOf(plugin).length > 0;
  }

  #folder(node: Node): string {
    return join(this.#options.nodesFolder, String(node.id));
  }

  /** First start, recovery after a crash and an upgrade are all this: tell the new runner what it is to run. */
  #replay(plugin: Plugin): void {
    this.#forwarder.forget(this.#supervisor(plugin));
    for (const run of this.#runsOf(plugin)) {
      this.#launch(run).catch((error: unknown) => {
        this.#options.log.error(`The node "${run.node.name}" could not be started: ${String(error)}`);
      });
    }
  }

  async #launch(run: Run): Promise<void> {
    const { node } = run;
    const supervisor = this.#supervisor(node.plugin);
    await mkdir(this.#folder(node), { recursive: true });
    if (this.#runs.get(node.id) !== run || run.known || !supervisor.isUp) return;
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
      this.#forwarder.rerouted();
      this.#sendRoutes(node);
    }
    // A refusal arrives as a message of its own, which also tells of those that come later.
    started.then(
      () => {
        run.launched.resolve();
        for (const group of node.subscriptions.keys()) this.#reportLatest(node, group);
      },
      () => run.launched.resolve(),
    );
  }

  #sendGroup(group: Group): void {
    this.#dirty.delete(group);
    const config = this.#cache(group).config();
    this.#supervisor(group.node.plugin).send({ op: 'group', node: group.node.id, config });
  }

  #flushIfDirty(group: Group): void {
    if (this.#dirty.has(group)) this.#sendGroup(group);
  }

  #flush(): void {
    this.#flushTimer = undefined;
    const begin = performance.now();
    for (const group of this.#dirty) if (this.#runs.get(group.node.id)?.known) this.#sendGroup(group);
    this.#dirty.clear();
    this.#flushCost = performance.now() - begin;
  }

  #sendRoutes(app: Node): void {
    const supervisor = this.#supervisor(app.plugin);
    for (const group of app.subscriptions.keys()) {
      this.#forwarder.sendLayout(supervisor, group.id, this.#cache(group).latest()?.layout ?? this.#cache(group).layout);
    }
    const routes = [...app.subscriptions.values()].map(({ group, params }) => ({ group: group.id, params }));
    supervisor.send({ op: 'routes', node: app.id, routes });
  }

  /** A new subscriber gets at once what is known of the group, unchanged tags included. */
  #reportLatest(app: Node, group: Group): void {
    const latest = this.#cache(group).latest();
    if (!latest || !this.#runs.has(group.node.id)) return;
    const { report: _all, ...sample } = latest.sample;
    const supervisor = this.#supervisor(app.plugin);
    this.#forwarder.sendLayout(supervisor, group.id, latest.layout);
    supervisor.send({ op: 'sample', sample, node: app.id });
  }

  async #check(
    plugin: Plugin,
    request: Parameters<Supervisor['ask']>[0] & { readonly op: 'checkTags' | 'checkSettings' | 'checkParams' },
  ): Promise<unknown> {
    const supervisor = this.#supervisor(plugin);
    if (!(await supervisor.whenUp(waits.check))) {
      throw new Fault(
        ErrorCode.BUSY,
        `The plugin "${plugin.name}" cannot be asked right now, because its runner is not up. Try again in a moment.`,
      );
    }
    const answer = await supervisor.ask<typeof request.op>(request, waits.check);
    supervisor.release();
    return answer;
  }

  #take(plugin: Plugin, message: FromRunner): void {
    switch (message.op) {
      case 'sample': {
        const cache = this.#caches.get(message.sample.group);
        const layout = cache && this.#runs.has(cache.group.node.id) ? cache.take(message.sample) : undefined;
        if (cache && layout) this.#forwarder.forward(cache.group, message.sample, layout);
        break;
      }
      case 'link': {
        const run = this.#runs.get(message.node);
        if (run) run.link = message.link;
        break;
      }
      case 'meters': {
        const run = this.#runs.get(message.node);
        for (const [name, value] of message.meters) run?.meters.set(name, value);
        break;
      }
      case 'log': {
        const node = message.node === undefined ? undefined : this.#runs.get(message.node)?.node;
        if (node) this.#options.nodeLog(node.name)[message.level](message.message, message.fields);
        else if (message.level !== 'fatal') this.#options.log[message.level](`${plugin.name}: ${message.message}`, message.fields);
        break;
      }
      case 'refused': {
        const run = this.#runs.get(message.node);
        if (run) this.#refused(run, faultFrom(message.fault));
        break;
      }
      case 'request':
        void this.#serve(plugin, message.id, message.request);
        break;
      case 'loaded':
      case 'unloadable':
      case 'answer':
        break;
    }
  }

  #refused(run: Run, fault: Fault): void {
    this.#runs.delete(run.node.id);
    this.#forwarder.rerouted();
    run.launched.reject(fault);
    this.#events.refused(run.node, fault);
    this.#supervisor(run.node.plugin).release();
  }

  async #serve(plugin: Plugin, id: number, request: HostRequest): Promise<void> {
    const supervisor = this.#supervisor(plugin);
    try {
      supervisor.send({ op: 'answer', id, value: await this.#answer(request) });
    } catch (error) {
      supervisor.send({ op: 'answer', id, fault: faultData(error, ErrorCode.INTERNAL) });
    }
  }

  async #answer(request: HostRequest): Promise<unknown> {
    const events = this.#events;
    switch (request.op) {
      case 'read': {
        const { layout, sample } = await events.read(request.node, request.group, request.sync);
        return { layout, sample };
      }
      case 'write':
        await events.write(request.node, request.group, request.tags);
        return undefined;
      case 'drivers':
        return events.drivers();
    }
  }

  /** The runner of a plugin is gone: its nodes are disconnected, and subscribers learn it once per group. */
  #down(plugin: Plugin): void {
    for (const run of this.#runsOf(plugin)) {
      run.link = LinkState.DISCONNECTED;
      run.known = false;
      run.meters.clear();
      for (const group of run.node.groups.values()) {
        this.#cache(group).clear();
        const { sample, layout } = this.#cache(group).failed(ErrorCode.DISCONNECTED);
        this.#forwarder.forward(group, sample, layout);
      }
    }
    this.#forwarder.rerouted();
  }
}

function draftOf({ name, address, type, attribute }: RunnerTag): TagDraft {
  return { name, address, type, attribute };
}
