import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NodeType } from '@tagway/schemas';
import type { GatewayPair } from '@tagway/sdk';
import type { Group, Node } from '../../core/model.ts';
import type { TraceFilter } from '../../core/ports/ports.ts';
import { makeFolder } from '../../core/system/make-folder.ts';
import { sentenceOf } from '../../core/system/system-error.ts';
import { mostAtOnce, type RuntimeOptions, waits } from '../runtime-options.ts';
import type { Forwarder } from '../samples/forwarder.ts';
import type { GroupCaches } from '../samples/group-caches.ts';
import { launch } from './launch.ts';
import type { NodeRun, NodeRuns } from './node-runs.ts';
import type { Runners } from './runners.ts';

export interface LauncherParts {
  readonly runs: NodeRuns;
  readonly runners: Runners;
  readonly caches: GroupCaches;
  readonly forwarder: Forwarder;
  /** What a run of a node is to trace. */
  readonly traceOf: (node: Node) => TraceFilter | undefined;
  /** Sends a group to its driver shortly after, as one that has changed. */
  readonly later: (group: Group) => void;
}

/** Gives runners what the nodes that they start need: settings, groups, subscriptions, and what an app knows of the pair of gateways. */
export class Launcher {
  readonly #options: RuntimeOptions;
  readonly #with: LauncherParts;
  #beforeDrivers: Promise<unknown> = Promise.resolve();

  constructor(options: RuntimeOptions, parts: LauncherParts) {
    this.#options = options;
    this.#with = parts;
  }

  folderOf({ id }: Node): string {
    return join(this.#options.nodesFolder, String(id));
  }

  /** Drivers are launched from here on when these apps run, or have failed to, or are slow. */
  launchDriversAfter(apps: readonly Node[]): void {
    const launched = apps.flatMap((app) => this.#with.runs.get(app)?.launched.promise ?? []);
    if (apps.length > 0)
      this.#beforeDrivers = Promise.race([Promise.allSettled(launched), delay(waits.apps)]);
  }

  launchLater(run: NodeRun): void {
    const failed = `The node "${run.node.name}" could not be started`;
    this.launch(run).catch((error: unknown) => this.#options.log.error(`${failed}: ${sentenceOf(error)}`));
  }

  /** Has the runner of a node start it; nothing happens while the runner is not up, or knows the run already. */
  async launch(run: NodeRun): Promise<void> {
    const { node } = run;
    const supervisor = this.#with.runners.of(node.plugin);
    await makeFolder(this.folderOf(node));
    const isApp = node.plugin.nodeType === NodeType.APP;
    if (!isApp) await this.#beforeDrivers;
    if (!this.#with.runs.isCurrent(run) || run.known || !supervisor.isUp) return;
    run.known = true;
    const pairId = this.#options.pairIdOf?.(node.id);
    const pair = isApp ? this.#pairOf(run) : undefined;
    const trace = this.#with.traceOf(node);
    const follow = isApp ? undefined : this.#options.following?.oneIn;
    launch(supervisor, run, {
      dataDir: this.folderOf(node),
      level: this.#options.levelOf(node.name),
      ...(pairId !== undefined && { pairId }),
      ...(pair !== undefined && { pair }),
      ...(trace !== undefined && { trace }),
      ...(follow !== undefined && { follow }),
      ...(isApp &&
        run.mode !== 'tail' && { subscriptions: this.#with.forwarder.subscriptionsOf(node, supervisor) }),
    });
    if (!isApp) {
      for (const group of node.groups.values())
        if (group.tags.size > mostAtOnce) this.#with.later(group);
        else this.sendGroup(group);
      this.#with.forwarder.sendState(node);
    }
  }

  #pairOf({ mode }: NodeRun): GatewayPair | undefined {
    const gateways = this.#options.gatewaysOfPair?.();
    return gateways && { role: mode === 'active' ? 'active' : 'standby', ...gateways };
  }

  /** Says to an app which gateways the pair has, and whether this one is active. */
  sendPair(run: NodeRun): void {
    const { node, known } = run;
    const pair = known && node.plugin.nodeType === NodeType.APP ? this.#pairOf(run) : undefined;
    if (pair !== undefined) this.#with.runners.of(node.plugin).send({ op: 'pair', node: node.id, pair });
  }

  /** Says to the runner of a node which lines of its log are wanted now. */
  sendLevel(node: Node): void {
    const level = this.#options.levelOf(node.name);
    if (this.#with.runs.get(node)?.known)
      this.#with.runners.of(node.plugin).send({ op: 'level', node: node.id, level });
  }

  /** Gives the runner of a driver a group as it is now. */
  sendGroup(group: Group): void {
    if (!this.#with.runs.get(group.node)?.known) return;
    const config = this.#with.caches.of(group).config();
    const { node } = group;
    const runner = this.#with.runners.of(node.plugin);
    const reads = node.plugin.inputs === true && {
      reads: this.#with.forwarder.subscriptionsOf(node, runner),
    };
    runner.send({ op: 'group', node: node.id, config, ...reads });
  }
}
