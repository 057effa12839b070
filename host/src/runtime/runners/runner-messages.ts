import { NodeType } from '@tagway/schemas';
import type { Fault, Sample } from '@tagway/sdk';
import { faultFrom, type FromRunner, type HostRequest, type SampleData } from '@tagway/sdk/internal';
import type { Group, Plugin } from '../../core/model.ts';
import type { TracedFrames } from '../../core/ports/ports.ts';
import type { Forwarder } from '../samples/forwarder.ts';
import type { GroupCache } from '../samples/group-cache.ts';
import type { GroupCaches } from '../samples/group-caches.ts';
import { SampleWays } from '../samples/sample-ways.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import type { NodeRun, NodeRuns } from './node-runs.ts';

export interface MessageSurroundings {
  readonly runs: NodeRuns;
  readonly caches: GroupCaches;
  readonly forwarder: Forwarder;
  readonly options: Pick<RuntimeOptions, 'log' | 'nodeLog' | 'following'>;
  /** A sample of a group has arrived and is not in its cache yet. */
  beforeSample(group: Group): void;
  /** Keeps a sample that its cache has taken. */
  readonly record?: ((cache: GroupCache, sample: Sample) => void) | undefined;
  /** A plugin has refused to run a node. */
  refused(run: NodeRun, fault: Fault): void;
  /** The runner of a plugin sends frames of a driver that is traced. */
  traced(plugin: Plugin, frames: TracedFrames): void;
  /** An app has sent what an earlier run had left. */
  tailed(run: NodeRun): void;
  /** A node takes connections at other places than before. */
  listens(run: NodeRun): void;
  /** A node asks something of the gateway. */
  asked(plugin: Plugin, id: number, request: HostRequest): void;
}

/** Takes the messages of runners. */
export class RunnerMessages {
  readonly #with: MessageSurroundings;
  /** What becomes of followed readings; undefined where none is followed. */
  readonly #ways: SampleWays | undefined;

  constructor(surroundings: MessageSurroundings) {
    const { following } = surroundings.options;
    this.#with = surroundings;
    this.#ways = following && new SampleWays(following);
  }

  /** Takes a message whose shape was checked; returns false when this plugin's runner may not send it. */
  take(plugin: Plugin, message: FromRunner): boolean {
    const { runs, forwarder } = this.#with;
    switch (message.op) {
      case 'sample':
        return this.#sample(plugin, message.sample);
      case 'log':
        return this.#log(plugin, message);
      case 'meters':
        return runs.setMeters(plugin, message);
      case 'request':
        this.#with.asked(plugin, message.id, message.request);
        return true;
      case 'frames':
        // Also when the run has ended: they are those of its end.
        this.#with.traced(plugin, message);
        return true;
      case 'loaded':
      case 'unloadable':
      case 'answer':
        return false;
      default:
        break;
    }
    const run = runs.get(message.node);
    // It ended while the message was on its way.
    if (run === undefined) return true;
    if (run.node.plugin.id !== plugin.id) return false;
    switch (message.op) {
      case 'started':
        this.#started(run);
        break;
      case 'begun':
        run.begun = true;
        break;
      case 'link':
        if (!run.begun) break;
        runs.setLink(message);
        if (run.node.plugin.nodeType === NodeType.DRIVER) forwarder.sendState(run.node);
        break;
      case 'listens':
        if (!run.begun) break;
        run.places = message.places;
        this.#with.listens(run);
        break;
      case 'delivered': {
        const group = this.#with.caches.get(message.group)?.group;
        if (group !== undefined) this.#ways?.delivered(run.node, group, message);
        break;
      }
      case 'tailed':
        // When the node was started meanwhile, that run goes on.
        if (run.mode === 'tail') this.#with.tailed(run);
        break;
      case 'refused':
        this.#with.refused(run, faultFrom(message.fault));
        break;
    }
    return true;
  }

  /** A sample for nodes of this plugin was left out, because they are too slow for what comes. */
  dropped(plugin: Plugin, { group, rows }: SampleData): void {
    // What is read of a group has the negative number.
    const source = this.#with.caches.get(Math.abs(group))?.group;
    const nodes = group < 0 ? source?.readers : source?.subscriptions.keys();
    for (const node of nodes ?? [])
      if (node.plugin.id === plugin.id) this.#with.runs.countDropped(node, rows?.length ?? 0);
  }

  /** Whenever an app's start succeeds, it gets the latest samples: a tag that is reported on change may not change for long. */
  #started(run: NodeRun): void {
    run.started = true;
    for (const group of run.node.subscriptions.keys()) this.#with.forwarder.reportLatest(run.node, group);
  }

  #sample(plugin: Plugin, data: SampleData): boolean {
    const { runs, caches, forwarder } = this.#with;
    const cache = caches.get(data.group);
    // The group was deleted while the sample was on its way.
    if (cache === undefined) return true;
    const { node } = cache.group;
    if (node.plugin.id !== plugin.id) return false;
    if (!cache.fits(data)) return false;
    this.#with.beforeSample(cache.group);
    const sample = runs.get(node)?.begun ? cache.take(data) : undefined;
    if (!sample) return true;
    // What is for the cache alone comes again with the next reading.
    if (data.forCache !== true) this.#with.record?.(cache, sample);
    const way = data.way === undefined ? undefined : this.#ways?.received(cache.group, data);
    forwarder.forward(cache.group, sample, data.forCache === true, way?.next);
    way?.passed();
    return true;
  }

  #log(
    plugin: Plugin,
    { node: id, level, message, fields }: Extract<FromRunner, { readonly op: 'log' }>,
  ): boolean {
    const { runs, options } = this.#with;
    const node = id === undefined ? undefined : runs.get(id)?.node;
    if (node !== undefined && node.plugin.id !== plugin.id) return false;
    if (node) options.nodeLog(node.name)[level](message, fields);
    else if (level !== 'fatal') options.log[level](`${plugin.name}: ${message}`, fields);
    return true;
  }
}
