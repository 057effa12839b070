import { NodeType } from '@tagway/schemas';
import type { Fault, Log } from '@tagway/sdk';
import { faultFrom, type FromRunner, type HostRequest, type SampleData } from '@tagway/sdk/internal';
import type { Group, Plugin } from '../core/model.ts';
import type { Forwarder } from './forwarder.ts';
import type { GroupCaches } from './group-caches.ts';
import type { Run, Runs } from './runs.ts';

export interface MessageSurroundings {
  readonly runs: Runs;
  readonly caches: GroupCaches;
  readonly forwarder: Forwarder;
  readonly log: Log;
  /** A sample of a group comes and is not in its cache yet. */
  coming(group: Group): void;
  /** The log of a node. */
  nodeLog(node: string): Log & { fatal(message: string, fields?: object): void };
  /** A plugin says that a node cannot run. */
  refused(run: Run, fault: Fault): void;
  /** An app has sent what an earlier run had left. */
  tailed(run: Run): void;
  /** A node asks something of the gateway. */
  asked(plugin: Plugin, id: number, request: HostRequest): void;
}

/** Takes what the runners of plugins say. */
export class RunnerMessages {
  readonly #with: MessageSurroundings;

  constructor(surroundings: MessageSurroundings) {
    this.#with = surroundings;
  }

  /** Takes a message of a known shape; returns false when it is none that this plugin's runner may send. */
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
        if (run.node.plugin.nodeType === NodeType.DRIVER) forwarder.tellState(run.node);
        break;
      case 'tailed':
        // A start that has overtaken it is not over.
        if (run.isTail) this.#with.tailed(run);
        break;
      case 'refused':
        this.#with.refused(run, faultFrom(message.fault));
        break;
    }
    return true;
  }

  /** A sample for apps of this plugin was left out, because they are too slow for what comes. */
  dropped(plugin: Plugin, { group, rows }: SampleData): void {
    for (const app of this.#with.caches.get(group)?.group.subscriptions.keys() ?? [])
      if (app.plugin.id === plugin.id) this.#with.runs.countDropped(app, rows?.length ?? 0);
  }

  /** The app is given what is known by now, whenever its start succeeds: a tag that is reported on change may not change for long. */
  #started(run: Run): void {
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
    this.#with.coming(cache.group);
    const sample = runs.get(node)?.begun ? cache.take(data) : undefined;
    if (sample) forwarder.forward(cache.group, sample);
    return true;
  }

  #log(
    plugin: Plugin,
    { node: id, level, message, fields }: Extract<FromRunner, { readonly op: 'log' }>,
  ): boolean {
    const { runs, log } = this.#with;
    const node = id === undefined ? undefined : runs.get(id)?.node;
    if (node !== undefined && node.plugin.id !== plugin.id) return false;
    if (node) this.#with.nodeLog(node.name)[level](message, fields);
    else if (level !== 'fatal') log[level](`${plugin.name}: ${message}`, fields);
    return true;
  }
}
