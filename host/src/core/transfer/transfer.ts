import { ErrorCode, NodeType, RunningState } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Launches } from '../nodes/launches.ts';
import { checkNodeCount } from '../access/license.ts';
import type { Group, Node, Params, Subscription, Template } from '../model.ts';
import { makeNodes } from '../nodes/node-factory.ts';
import type { SnapshotReason } from '../ports/ports.ts';
import { align, alignmentProblems } from './alignment.ts';
import type { ConfigurationDraft } from './configuration-draft.ts';
import { checkNodes, checkSubscriptions, checkTemplates, problemsOf } from './draft-checks.ts';
import { changesOf, type Replacement, subscriptionsOf } from './replacement.ts';
import type { Condition, State } from '../records/state.ts';
import type { NodeDraft, SubscriptionDraft } from './drafts.ts';
import { makeTemplate, type TemplateBody } from '../templates/template-drafts.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Groups that an imported driver has at most. */
const groupLimit = 512;

/** Imports nodes: all of what is sent is checked first and then takes effect in one step, or nothing changes. */
export class Transfer {
  readonly #state: State;
  readonly #launches: Launches;

  constructor(state: State, launches: Launches) {
    this.#state = state;
    this.#launches = launches;
  }

  /**
   * Replaces all nodes and what belongs to them, and all templates if any list of them is given. Rejects with the code with
   * which the API refuses the first thing that is wrong.
   */
  async replaceAll(
    drafts: readonly NodeDraft[],
    subscriptions: readonly SubscriptionDraft[],
    templates?: readonly TemplateBody[],
    reason: SnapshotReason = 'import',
    condition?: Condition,
  ): Promise<void> {
    const checked = await checkNodes(this.#state, drafts);
    await checkSubscriptions(this.#state, checked, subscriptions);
    const checkedTemplates = templates && (await checkTemplates(this.#state, templates));
    await this.#replace(
      async () => {
        const old = [...this.#state.nodes.values()];
        checkNodeCount(this.#state, checked.length);
        const fresh = await makeNodes(this.#state, checked);
        const byName = new Map(fresh.map((node) => [node.name, node]));
        const freshTemplates: Template[] = [];
        for (const template of checkedTemplates ?? [])
          freshTemplates.push(await makeTemplate(this.#state, template));
        return {
          old,
          fresh,
          subscriptions: subscriptions.map(({ app, driver, group, params }) =>
            this.#subscribe(byName.get(app), byName.get(driver)?.groups.get(group), params),
          ),
          templates: checkedTemplates && {
            old: [...this.#state.templates.values()],
            fresh: freshTemplates,
          },
        };
      },
      reason,
      condition,
    );
  }

  /**
   * Adds drivers in the place of those of their names; subscriptions to groups that are still there afterwards stay. Rejects as
   * `replaceAll` does, and with PLUGIN_TYPE_UNSUPPORTED for an app, GROUP_LIMIT for a driver with too many groups, and
   * NODE_EXISTS when an app has the name.
   */
  async replaceDrivers(drafts: readonly NodeDraft[]): Promise<void> {
    const checked = await checkNodes(this.#state, drafts, true);
    for (const { name, groups } of checked) {
      if (groups.length > groupLimit)
        throw new Refusal(
          ErrorCode.GROUP_LIMIT,
          sentence`The driver "${name}" has more than ${groupLimit} groups.`,
        );
    }
    await this.#replace(async () => {
      const old = checked.map(({ name }) => this.#state.nodes.get(name)).filter((node) => node !== undefined);
      const app = old.find((node) => node.plugin.nodeType === NodeType.APP);
      if (app !== undefined)
        throw new Refusal(ErrorCode.NODE_EXISTS, sentence`There is an app "${app.name}" already.`);
      checkNodeCount(this.#state, this.#state.nodes.size - old.length + checked.length);
      const fresh = await makeNodes(this.#state, checked);
      const byName = new Map(fresh.map((node) => [node.name, node]));
      const kept = old.flatMap((driver) =>
        [...driver.groups.values()].flatMap(({ name, subscriptions }) => {
          const group = byName.get(driver.name)?.groups.get(name);
          if (group === undefined) return [];
          return Array.from(subscriptions.values(), ({ app, params }) => this.#subscribe(app, group, params));
        }),
      );
      return { old, fresh, subscriptions: kept };
    });
  }

  /** Every reason for which `replaceAll` would refuse these, as far as they do not follow from one another. */
  problems(
    nodes: readonly NodeDraft[],
    subscriptions: readonly SubscriptionDraft[],
    templates: readonly TemplateBody[] = [],
  ): Promise<Fault[]> {
    const all = { nodes, subscriptions, templates };
    return problemsOf(this.#state, nodes, all, []);
  }

  /**
   * Makes the configuration what a draft says, in one step. What is so already stays as it is and goes on running: a node is started anew
   * only where its settings are others, and loses what it has kept only where its plugin is another one. Rejects with the code with which the
   * API refuses the first thing that is wrong, an unknown plugin among them.
   */
  align(wanted: ConfigurationDraft, condition?: Condition): Promise<void> {
    return align(this.#state, this.#launches, wanted, condition);
  }

  /** Every reason for which `align` would refuse a draft, as far as they do not follow from one another. */
  alignmentProblems(wanted: ConfigurationDraft): Promise<Fault[]> {
    return alignmentProblems(this.#state, wanted);
  }

  #subscribe(app: Node | undefined, group: Group | undefined, params: Params | undefined): Subscription {
    if (app === undefined || group === undefined)
      throw new Refusal(
        ErrorCode.GROUP_NOT_FOUND,
        sentence`A subscription names an app or a group that is not there.`,
      );
    return { id: this.#state.newId(), app, group, params };
  }

  /** `plan` is called under the lock of changes, before which the objects may change. A snapshot is made for `reason` before. */
  async #replace(
    plan: () => Promise<Replacement>,
    reason: SnapshotReason = 'import',
    condition?: Condition,
  ): Promise<void> {
    const { outcome } = await this.#state.change(async () => {
      const replacement = await plan();
      const { old, fresh } = replacement;
      const kept = Array.from(this.#state.nodes.values()).filter((node) => !old.includes(node));
      this.#state.links.checkCircles([...kept, ...fresh]);
      await this.#state.ports.snapshots.make(reason);
      await this.#state.commit(changesOf(replacement));
      return { outcome: this.#apply(replacement) };
    }, condition);
    await outcome;
  }

  /** Resolves when the old runs have ended and the new ones have begun: they may need the same port or device. */
  async #apply({ old, fresh, subscriptions, templates }: Replacement): Promise<void> {
    const { runtime, logLevels } = this.#state.ports;
    const rerouted = new Set<Node>();
    for (const { app, group } of old.flatMap(subscriptionsOf)) {
      app.subscriptions.delete(group);
      group.subscriptions.delete(app);
      rerouted.add(app);
    }
    for (const node of old) {
      this.#state.nodes.delete(node.name);
      logLevels.reset(node.name);
    }
    for (const node of fresh) this.#state.nodes.set(node.name, node);
    for (const { name } of templates?.old ?? []) this.#state.templates.delete(name);
    for (const template of templates?.fresh ?? []) this.#state.templates.set(template.name, template);
    for (const subscription of subscriptions) {
      subscription.app.subscriptions.set(subscription.group, subscription);
      subscription.group.subscriptions.set(subscription.app, subscription);
      rerouted.add(subscription.app);
    }
    const forgotten = old.map((node) => runtime.forget(node));
    for (const app of rerouted) if (this.#state.has(app)) runtime.routed(app);
    await Promise.all(forgotten);
    // A new node may have been stopped or deleted meanwhile.
    const started = await this.#state.settle(async () => [
      Promise.all(
        fresh
          .filter((node) => this.#state.has(node) && node.running === RunningState.RUNNING)
          .map((node) => this.#launches.start(node, RunningState.READY)),
      ),
    ]);
    await Promise.all(started);
  }
}
