import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, NodeType } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import type { Group, Node, Params, Subscription } from '../model.ts';
import { checkLengths } from '../names.ts';
import { checkApp, requirePlugin } from './plugins.ts';
import type { PreviewReply } from '../ports/ports.ts';
import { keys, subscriptionRecord } from '../records/records.ts';
import { type Condition, groupOf, type State } from '../records/state.ts';
import { refuse } from '../system/refuse.ts';
import { Refusal, sentence } from '../system/sentence.ts';

export interface SubscriptionBody {
  readonly driver: string;
  readonly group: string;
  readonly params?: Params | undefined;
}

export class Subscriptions {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** In the order of creation; of a node that does not exist, none. `driver` and `group` are parts of names. */
  list(app: string, driver = '', group = ''): Subscription[] {
    const all = this.#state.nodes.get(app)?.subscriptions.values() ?? [];
    return [...all].filter((one) => one.group.node.name.includes(driver) && one.group.name.includes(group));
  }

  /** The subscription of an app to a group, if there is one. */
  find(app: string, driver: string, group: string): Subscription | undefined {
    const { nodes } = this.#state;
    const of = nodes.get(driver)?.groups.get(group);
    return of && nodes.get(app)?.subscriptions.get(of);
  }

  /**
   * What an app could subscribe to: all groups of drivers whose names contain a text, and of other drivers the groups whose names
   * do. Throws NODE_NOT_FOUND, or NODE_NOT_SUBSCRIBABLE for a driver.
   */
  candidates(app: string, contains: string): { readonly driver: Node; readonly groups: readonly Group[] }[] {
    this.#app(app);
    return [...this.#state.nodes.values()]
      .filter((node) => node.plugin.nodeType === NodeType.DRIVER)
      .map((driver) => ({
        driver,
        groups: [...driver.groups.values()].filter(
          ({ name }) => driver.name.includes(contains) || name.includes(contains),
        ),
      }))
      .filter(({ driver, groups }) => groups.length > 0 || driver.name.includes(contains));
  }

  /** Subscribes to the groups in order; the first fault ends it and the subscriptions before it stay. */
  async add(app: string, bodies: readonly SubscriptionBody[], condition?: Condition): Promise<void> {
    for (const { driver, group } of bodies) checkNames(app, driver, group);
    const checked = await this.#checkParams(app, bodies);
    const fault = await this.#state.change(async () => {
      const node = this.#app(app);
      const fresh = new Map<Group, Subscription>();
      let refusal = checked.fault;
      try {
        for (const { driver, group: name, params } of bodies.slice(0, checked.count)) {
          const group = this.#group(driver, name);
          if (node.subscriptions.has(group) || fresh.has(group)) {
            throw new Refusal(
              ErrorCode.GROUP_SUBSCRIBED,
              sentence`"${app}" subscribes to the group "${name}" of "${driver}" already.`,
            );
          }
          fresh.set(group, { id: this.#state.newId(), app: node, group, params });
        }
      } catch (error) {
        if (!isFault(error)) throw error;
        refusal = error;
      }
      if (fresh.size === 0) return refusal;
      const subscriptions = [...fresh.values()];
      await this.#state.commit({
        set: subscriptions.map((entry) => [keys.subscription(entry.id), subscriptionRecord(entry)] as const),
      });
      for (const subscription of subscriptions) {
        node.subscriptions.set(subscription.group, subscription);
        subscription.group.subscriptions.set(node, subscription);
      }
      this.#state.ports.runtime.routed(node, [...fresh.keys()]);
      return refusal;
    }, condition);
    if (fault !== undefined) throw fault;
  }

  /** Replaces the parameters of a subscription as a whole. */
  async update(app: string, body: SubscriptionBody, condition?: Condition): Promise<void> {
    checkNames(app, body.driver, body.group);
    const { fault } = await this.#checkParams(app, [body]);
    if (fault !== undefined) throw fault;
    await this.#state.change(async () => {
      const subscription = this.#find(app, body);
      if (isDeepStrictEqual(subscription.params, body.params)) return;
      const next = { ...subscription, params: body.params };
      await this.#state.commit({ set: [[keys.subscription(subscription.id), subscriptionRecord(next)]] });
      subscription.params = body.params;
      this.#state.ports.runtime.routed(subscription.app);
    }, condition);
  }

  async delete(app: string, driver: string, group: string, condition?: Condition): Promise<void> {
    checkNames(app, driver, group);
    await this.#state.change(async () => {
      const subscription = this.#find(app, { driver, group });
      await this.#state.commit({ delete: [keys.subscription(subscription.id)] });
      subscription.app.subscriptions.delete(subscription.group);
      subscription.group.subscriptions.delete(subscription.app);
      this.#state.ports.runtime.routed(subscription.app);
    }, condition);
  }

  /**
   * What an app would send for the latest sample of a group with these parameters, which no subscription need have. Rejects with
   * NODE_NOT_READY for an app without settings, NOT_READY before anything is read, PLUGIN_TYPE_UNSUPPORTED for an app that has none.
   */
  async preview(app: string, body: SubscriptionBody): Promise<PreviewReply> {
    const { driver, group, params } = body;
    checkNames(app, driver, group);
    const { fault } = await this.#checkParams(app, [body]);
    if (fault !== undefined) throw fault;
    const { name, plugin, settings } = this.#app(app);
    if (settings === undefined)
      throw new Refusal(
        ErrorCode.NODE_NOT_READY,
        sentence`"${app}" has no settings yet, so what it sends is not known.`,
      );
    return await this.#state.ports.runtime.preview(plugin, this.#group(driver, group), {
      name,
      settings,
      params,
    });
  }

  /** How many of the bodies, from the first on, have parameters that the app accepts, and the fault of the next. */
  async #checkParams(
    app: string,
    bodies: readonly SubscriptionBody[],
  ): Promise<{ count: number; fault?: Fault }> {
    const { plugin } = this.#app(app);
    requirePlugin(plugin);
    for (const [count, { driver, group, params }] of bodies.entries()) {
      try {
        await this.#state.ports.runtime.checkSubscription(plugin, { driver, group, params });
      } catch (error) {
        if (!isFault(error)) throw error;
        return { count, fault: error };
      }
    }
    return { count: bodies.length };
  }

  #app(name: string): Node {
    const node = this.#state.node(name);
    checkApp(node);
    return node;
  }

  /** Throws NODE_NOT_FOUND or GROUP_NOT_FOUND; an app has no groups. */
  #group(driver: string, name: string): Group {
    return groupOf(this.#state.node(driver), name);
  }

  #find(app: string, { driver, group: name }: SubscriptionBody): Subscription {
    const subscription = this.#state.node(app).subscriptions.get(this.#group(driver, name));
    const text = sentence`"${app}" does not subscribe to the group "${name}" of "${driver}".`;
    return subscription ?? refuse(ErrorCode.GROUP_NOT_FOUND, text);
  }
}

function checkNames(app: string, driver: string, group: string): void {
  checkLengths(app);
  checkLengths(driver, group);
}
