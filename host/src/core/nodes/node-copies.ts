import { ErrorCode, RunningState } from '@tagway/schemas';
import { checkLicensed, checkNodeCount, tagCount } from '../access/license.ts';
import type { Group, Node, Params, Plugin, Subscription } from '../model.ts';
import { checkLengths, checkNewName } from '../names.ts';
import { type Entry, keys, subscriptionRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { groupDrafts, type NodeDraft, type SubscriptionDraft } from '../transfer/drafts.ts';
import { nodeEntries, subscriptionsOf } from '../transfer/replacement.ts';
import type { Launches, Outcome } from './launches.ts';
import { makeNode } from './node-factory.ts';
import { checkedSettings, requirePlugin } from './plugins.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** A node that was deleted, as it was. */
interface Deleted extends Omit<NodeDraft, 'plugin'> {
  readonly plugin: Plugin;
  readonly hadSettings: boolean;
  readonly tags: number;
  readonly subscriptions: readonly SubscriptionDraft[];
}

/** Deleted nodes that are kept, and their tags together; the one that was deleted last is kept whatever its size. */
const most = { nodes: 10, tags: 200_000 };

/** Makes nodes of other nodes: copies of those that are there, and those again that were deleted a while ago. */
export class NodeCopies {
  readonly #state: State;
  readonly #launches: Launches;
  /** The latest first. In memory only: snapshots are for what has to outlive the gateway. */
  #deleted: Deleted[] = [];

  constructor(state: State, launches: Launches) {
    this.#state = state;
    this.#launches = launches;
  }

  /**
   * Makes a stopped node with the settings, groups, tags and, of an app, the subscriptions of another one. It is stopped, because two nodes
   * of one device or one client id disturb each other.
   */
  async clone(name: string, newName: string): Promise<void> {
    checkNewName(newName);
    checkLengths(name);
    await this.#state.change(async () => {
      const { plugin, params, settings, groups, subscriptions, profile } = this.#state.node(name);
      requirePlugin(plugin);
      this.#checkRoom(newName, plugin);
      const shared = { plugin, params, settings, profile, groups: groupDrafts(groups) };
      const draft = { ...shared, name: newName, isStopped: true };
      const copy = await makeNode(this.#state, draft);
      const own = Array.from(subscriptions.values(), ({ group, params: given }) =>
        this.#subscription(copy, group, given),
      );
      await this.#put(copy, own);
    });
  }

  /** Remembers a node that is about to be deleted. The function that is returned keeps it. */
  remember(node: Node): () => void {
    const { name, plugin, params, settings, running, groups, profile } = node;
    const deleted: Deleted = {
      name,
      plugin,
      params,
      profile,
      tags: tagCount(node),
      hadSettings: settings !== undefined,
      isStopped: running === RunningState.STOPPED,
      groups: groupDrafts(groups),
      subscriptions: subscriptionsOf(node).map(({ app, group, params: given }) => ({
        app: app.name,
        driver: group.node.name,
        group: group.name,
        params: given,
      })),
    };
    return () => {
      let tags = 0;
      this.#deleted = [deleted, ...this.#deleted]
        .slice(0, most.nodes)
        .filter((one, index) => (tags += one.tags) <= most.tags || index === 0);
    };
  }

  /**
   * Brings back the node of this name that was deleted last, with its groups, tags, and the subscriptions of which the other side is still
   * there. Rejects with NODE_NOT_FOUND when none is kept, NODE_EXISTS when there is another one of that name.
   */
  async bringBack(name: string): Promise<void> {
    checkLengths(name);
    const deleted = this.#deleted.find((one) => one.name === name);
    if (deleted === undefined)
      throw new Refusal(
        ErrorCode.NODE_NOT_FOUND,
        sentence`No node "${name}" was deleted lately: the last ${most.nodes} are kept until the gateway ends. Look into the snapshots of the configuration.`,
      );
    const { params, hadSettings, isStopped, groups, profile } = deleted;
    const kept = { name, params, isStopped, groups, profile };
    const plugin = this.#state.ports.plugins.byId(deleted.plugin.id) ?? deleted.plugin;
    requirePlugin(plugin);
    // Another version of the plugin may be installed since.
    const settings = params && hadSettings ? await checkedSettings(this.#state, plugin, params) : undefined;
    const { outcome } = await this.#state.change(async () => {
      this.#checkRoom(name, plugin);
      const node = await makeNode(this.#state, { ...kept, plugin, settings });
      const subscriptions = deleted.subscriptions.flatMap((one) => this.#subscriptionAgain(node, one) ?? []);
      await this.#put(node, subscriptions);
      this.#deleted = this.#deleted.filter((one) => one !== deleted);
      return { outcome: this.#start(node) };
    });
    await outcome;
  }

  #checkRoom(name: string, plugin: Plugin): void {
    if (this.#state.nodes.has(name))
      throw new Refusal(ErrorCode.NODE_EXISTS, sentence`There is a node "${name}" already.`);
    checkLicensed(this.#state, plugin);
    checkNodeCount(this.#state, this.#state.nodes.size + 1);
  }

  #subscription(app: Node, group: Group, params: Params | undefined): Subscription {
    return { id: this.#state.newId(), app, group, params };
  }

  /** Undefined when the other side is gone. */
  #subscriptionAgain(
    node: Node,
    { app, driver, group, params }: SubscriptionDraft,
  ): Subscription | undefined {
    const find = (name: string): Node | undefined =>
      name === node.name ? node : this.#state.nodes.get(name);
    const subscriber = find(app);
    const source = find(driver)?.groups.get(group);
    if (subscriber === undefined || source === undefined || subscriber.subscriptions.has(source))
      return undefined;
    return this.#subscription(subscriber, source, params);
  }

  async #put(node: Node, subscriptions: readonly Subscription[]): Promise<void> {
    this.#state.links.checkCircles([...this.#state.nodes.values(), node]);
    await this.#state.commit({ set: entriesOf(node, subscriptions) });
    this.#state.nodes.set(node.name, node);
    const fresh = new Map<Node, Group[]>();
    for (const subscription of subscriptions) {
      const { app, group } = subscription;
      app.subscriptions.set(group, subscription);
      group.subscriptions.set(app, subscription);
      fresh.set(app, [...(fresh.get(app) ?? []), group]);
    }
    for (const [app, groups] of fresh) if (app !== node) this.#state.ports.runtime.routed(app, groups);
  }

  #start(node: Node): Outcome | undefined {
    return node.running === RunningState.RUNNING ? this.#launches.start(node, RunningState.READY) : undefined;
  }
}

function* entriesOf(node: Node, subscriptions: readonly Subscription[]): Generator<Entry> {
  yield* nodeEntries(node);
  for (const subscription of subscriptions)
    yield [keys.subscription(subscription.id), subscriptionRecord(subscription)];
}
