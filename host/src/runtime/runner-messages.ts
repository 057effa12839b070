import { NodeType } from '@tagway/schemas';
import type { Fault, Log } from '@tagway/sdk';
import { faultFrom, type FromRunner, type HostRequest, type SampleData } from '@tagway/sdk/internal';
import type { Plugin } from '../core/model.ts';
import type { Forwarder } from './forwarder.ts';
import type { GroupCaches } from './group-caches.ts';
import type { Run, Runs } from './runs.ts';

export interface MessageSurroundings {
  readonly runs: Runs;
  readonly caches: GroupCaches;
  readonly forwarder: Forwarder;
  readonly log: Log;
  /** The log of a node. */
  nodeLog(node: string): Log & { fatal(message: string, fields?: object): void };
  /** A plugin says that a node cannot run. */
  refused(run: Run, fault: Fault): void;
  /** An app asks something of the gateway. */
  asked(plugin: Plugin, id: number, request: HostRequest): void;
}

/** Takes what the runners of plugins say. */
export class RunnerMessages {
  readonly #with: MessageSurroundings;

  constructor(surroundings: MessageSurroundings) {
    this.#with = surroundings;
  }

  take(plugin: Plugin, message: FromRunner): void {
    const { runs, caches, forwarder } = this.#with;
    switch (message.op) {
      case 'sample': {
        const cache = caches.get(message.sample.group);
        const sample = cache && runs.get(cache.group.node)?.begun ? cache.take(message.sample) : undefined;
        if (cache && sample) forwarder.forward(cache.group, sample);
        break;
      }
      case 'started':
        this.#started(runs.get(message.node));
        break;
      case 'begun': {
        const run = runs.get(message.node);
        if (run) run.begun = true;
        break;
      }
      case 'link': {
        if (!runs.get(message.node)?.begun) break;
        const run = runs.setLink(message);
        if (run?.node.plugin.nodeType === NodeType.DRIVER) forwarder.tellState(run.node);
        break;
      }
      case 'meters':
        if (runs.get(message.node)?.begun) runs.setMeters(message.node, message.meters);
        break;
      case 'log':
        this.#log(plugin, message);
        break;
      case 'refused': {
        const run = runs.get(message.node);
        if (run) this.#with.refused(run, faultFrom(message.fault));
        break;
      }
      case 'request':
        this.#with.asked(plugin, message.id, message.request);
        break;
      default:
        break;
    }
  }

  /** A sample for apps of this plugin was left out, because they are too slow for what comes. */
  dropped(plugin: Plugin, { group, rows }: SampleData): void {
    for (const app of this.#with.caches.get(group)?.group.subscriptions.keys() ?? [])
      if (app.plugin.id === plugin.id) this.#with.runs.countDropped(app, rows?.length ?? 0);
  }

  /** The app is given what is known by now, whenever its start succeeds: a tag that is reported on change may not change for long. */
  #started(run: Run | undefined): void {
    if (run === undefined) return;
    run.started = true;
    for (const group of run.node.subscriptions.keys()) this.#with.forwarder.reportLatest(run.node, group);
  }

  #log(
    plugin: Plugin,
    { node: id, level, message, fields }: Extract<FromRunner, { readonly op: 'log' }>,
  ): void {
    const { runs, log } = this.#with;
    const node = id === undefined ? undefined : runs.get(id)?.node;
    if (node) this.#with.nodeLog(node.name)[level](message, fields);
    else if (level !== 'fatal') log[level](`${plugin.name}: ${message}`, fields);
  }
}
