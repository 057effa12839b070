import { ErrorCode, Limits, NodeType, RunningState } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import { checkGroupBody } from '../tags/groups.ts';
import type { Launches } from '../nodes/launches.ts';
import { checkLicensed, checkNodeCount } from '../access/license.ts';
import type { Group, Node, Params, Plugin, Subscription, TagBody, Template } from '../model.ts';
import { type CheckedNode, makeNodes } from '../nodes/node-factory.ts';
import { checkLength, checkLengths, firstTwice } from '../names.ts';
import type { SnapshotReason } from '../ports/ports.ts';
import { checkApp, checkedSettings, pluginNamed, requirePlugin } from '../nodes/plugins.ts';
import { changesOf, type Replacement, subscriptionsOf } from './replacement.ts';
import { meantSettings } from '../access/secrets.ts';
import type { Condition, State } from '../records/state.ts';
import { problemsOfTags } from '../tags/row-checks.ts';
import { checkBatch } from '../tags/tag-batch.ts';
import type { GroupDraft, NodeDraft, SubscriptionDraft } from './drafts.ts';
import {
  type CheckedTemplate,
  checkTemplate,
  makeTemplate,
  type TemplateBody,
} from '../templates/template-drafts.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

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
    const checked = await this.#check(drafts);
    await this.#checkSubscriptions(checked, subscriptions);
    const checkedTemplates = templates && (await this.#checkTemplates(templates));
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
    const checked = await this.#check(drafts, true);
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
  async problems(
    drafts: readonly NodeDraft[],
    subscriptions: readonly SubscriptionDraft[],
    templates: readonly TemplateBody[] = [],
  ): Promise<Fault[]> {
    const faults: Fault[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      await work().catch((error: unknown) => {
        if (!isFault(error)) throw error;
        faults.push(error);
      });
    };
    const good: CheckedNode[] = [];
    for (const draft of drafts) {
      const groups = draft.groups.map((group) => ({ ...group, tags: [] }));
      await attempt(async () => void good.push(...(await this.#check([{ ...draft, groups }]))));
      faults.push(...(await this.#faultsOfTags(draft)));
    }
    await attempt(async () => checkNodeCount(this.#state, drafts.length));
    await attempt(async () => this.#state.links.checkCircles(drafts));
    const twice = firstTwice(drafts.map(({ name }) => name));
    if (twice !== undefined)
      faults.push(new Refusal(ErrorCode.BODY_INVALID, sentence`The node "${twice}" is there twice.`));
    const given = new Set(drafts.map(({ name }) => name));
    const isBad = (name: string): boolean => given.has(name) && good.every((node) => node.name !== name);
    for (const one of subscriptions)
      if (!isBad(one.app) && !isBad(one.driver)) await attempt(() => this.#checkSubscriptions(good, [one]));
    for (const body of templates)
      await attempt(async () => {
        await this.#checkTemplates([body]);
      });
    return faults;
  }

  /** `mustBeDrivers`: every plugin is one of drivers. */
  async #check(drafts: readonly NodeDraft[], mustBeDrivers = false): Promise<CheckedNode[]> {
    const names = new Set<string>();
    const checked: CheckedNode[] = [];
    for (const draft of drafts) {
      const { name, groups } = draft;
      if (name === '')
        throw new Refusal(
          ErrorCode.NODE_NAME_EMPTY,
          sentence`The name of the node at index ${checked.length} is empty.`,
        );
      checkLengths(name);
      checkLength(draft.plugin, Limits.pluginName, ErrorCode.PLUGIN_NAME_TOO_LONG, sentence`plugin`);
      if (names.has(name))
        throw new Refusal(ErrorCode.BODY_INVALID, sentence`The node "${name}" is there twice.`);
      names.add(name);
      const plugin = pluginNamed(this.#state, draft.plugin);
      if (mustBeDrivers && plugin.nodeType !== NodeType.DRIVER)
        throw new Refusal(
          ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
          sentence`The plugin "${plugin.name}" is not of drivers.`,
        );
      checkLicensed(this.#state, plugin);
      requirePlugin(plugin);
      await this.#checkGroups(name, plugin, groups);
      const params = this.#meant(draft, plugin);
      const beginning = sentence`Settings of the node "${name}": `;
      const settings = params && (await checkedSettings(this.#state, plugin, params, beginning));
      checked.push({ ...draft, params, plugin, settings });
    }
    return checked;
  }

  /** A mask stands for the secret of the node of this name, unless that node is of another plugin. */
  #meant({ name, params }: NodeDraft, plugin: Plugin): Params | undefined {
    const before = this.#state.nodes.get(name);
    const stored = before?.plugin.id === plugin.id ? before.params : undefined;
    return params && meantSettings(plugin, params, name, stored);
  }

  async #checkGroups(node: string, plugin: Plugin, groups: readonly GroupDraft[]): Promise<void> {
    if (groups.length > 0 && plugin.nodeType !== NodeType.DRIVER)
      throw new Refusal(
        ErrorCode.GROUP_NOT_ALLOWED,
        sentence`The node "${node}" is an app and has no groups.`,
      );
    const names = new Set<string>();
    for (const group of groups) {
      const { name, tags } = group;
      checkLengths(node, name);
      checkGroupBody(group);
      if (names.has(name))
        throw new Refusal(
          ErrorCode.GROUP_EXISTS,
          sentence`The node "${node}" has the group "${name}" twice.`,
        );
      names.add(name);
      const { error, message } = await checkBatch(this.#state, plugin, tags);
      const place = sentence`of the group "${name}" of "${node}"`;
      if (error !== 0) throw new Refusal(error, sentence`A tag ${place} is refused. ${message ?? ''}`);
      const twice = tagTwice(tags, place);
      if (twice !== undefined) throw twice;
    }
  }

  /** All that is wrong with the tags of a node that is to be imported. */
  async #faultsOfTags({ name, plugin: pluginName, groups }: NodeDraft): Promise<Fault[]> {
    const plugin = this.#state.ports.plugins.byName(pluginName);
    if (plugin?.nodeType !== NodeType.DRIVER || plugin.absent === true) return [];
    const faults: Fault[] = [];
    for (const { name: group, tags } of groups) {
      const place = sentence`of the group "${group}" of "${name}"`;
      for (const { index, error, message } of await problemsOfTags(this.#state, plugin, tags))
        faults.push(new Refusal(error, sentence`A tag ${place} is refused (tags[${index}]). ${message}`));
      const twice = tagTwice(tags, place);
      if (twice !== undefined) faults.push(twice);
    }
    return faults;
  }

  async #checkSubscriptions(
    nodes: readonly CheckedNode[],
    subscriptions: readonly SubscriptionDraft[],
  ): Promise<void> {
    const byName = new Map(nodes.map((node) => [node.name, node]));
    for (const { app: name, driver, group, params } of subscriptions) {
      const app = byName.get(name);
      if (app === undefined)
        throw new Refusal(ErrorCode.NODE_NOT_FOUND, sentence`There is no node "${name}".`);
      checkApp(app);
      if (byName.get(driver)?.groups.every((one) => one.name !== group) ?? true)
        throw new Refusal(ErrorCode.GROUP_NOT_FOUND, sentence`The node "${driver}" has no group "${group}".`);
      await this.#state.ports.runtime.checkSubscription(app.plugin, { driver, group, params });
    }
    const pairs = subscriptions.map(({ app, driver, group }) => JSON.stringify([app, driver, group]));
    const twice = firstTwice(pairs);
    if (twice !== undefined)
      throw new Refusal(ErrorCode.BODY_INVALID, sentence`The subscription ${twice} is there twice.`);
  }

  async #checkTemplates(bodies: readonly TemplateBody[]): Promise<CheckedTemplate[]> {
    const twice = firstTwice(bodies.map(({ name }) => name));
    if (twice !== undefined)
      throw new Refusal(ErrorCode.TEMPLATE_EXISTS, sentence`The template "${twice}" is there twice.`);
    const checked: CheckedTemplate[] = [];
    for (const body of bodies) checked.push(await checkTemplate(this.#state, body));
    return checked;
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

function tagTwice(tags: readonly TagBody[], place: Sentence): Fault | undefined {
  const twice = firstTwice(tags.map(({ name }) => name));
  return twice === undefined
    ? undefined
    : new Refusal(ErrorCode.TAG_NAME_CONFLICT, sentence`The tag "${twice}" ${place} is there twice.`);
}
