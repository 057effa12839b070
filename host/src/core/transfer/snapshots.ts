import { ErrorCode, RunningState } from '@tagway/schemas';
import { Replica } from '../records/replica.ts';
import type { Node, Template } from '../model.ts';
import type { Snapshot, SnapshotStore } from '../ports/ports.ts';
import { type Condition, State } from '../records/state.ts';
import type { TemplateBody } from '../templates/template-drafts.ts';
import type { Transfer } from './transfer.ts';
import { groupDrafts, type NodeDraft, type SubscriptionDraft } from './drafts.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What a snapshot has and a restore leaves out, because its plugin is not installed. */
export interface LeftOut {
  readonly nodes: readonly {
    readonly name: string;
    readonly plugin: string;
    readonly groups: number;
    readonly subscriptions: number;
  }[];
  readonly templates: readonly { readonly name: string; readonly plugin: string }[];
}

/** What a snapshot holds. */
export interface Past {
  readonly nodes: readonly Node[];
  readonly templates: readonly TemplateBody[];
  readonly leftOut: LeftOut;
}

/** Of a gateway that keeps none. */
export const noSnapshots: SnapshotStore = {
  list: () => Promise.resolve([]),
  make: (reason) => Promise.resolve({ id: '', time: 0, reason, size: 0 }),
  read(id) {
    return Promise.reject(
      new Refusal(
        ErrorCode.FILE_NOT_FOUND,
        sentence`There is no snapshot "${id.slice(0, 100)}"; GET /api/v2/snapshots lists those that there are.`,
      ),
    );
  },
};

/** Copies of the store, made before every large change. */
export class Snapshots {
  readonly #state: State;
  readonly #transfer: Transfer;

  constructor(state: State, transfer: Transfer) {
    this.#state = state;
    this.#transfer = transfer;
  }

  /** The newest first. */
  list(): Promise<readonly Snapshot[]> {
    return this.#store.list();
  }

  /** Makes one now. Rejects with INTERNAL when that fails, for example on a full disk. */
  make(): Promise<Snapshot> {
    return this.#state.change(() => this.#store.make('request'));
  }

  /**
   * Puts the nodes, tags, subscriptions and templates of a snapshot in the place of those that are there, in one step, or nothing when
   * something is wrong with them. Rejects with FILE_NOT_FOUND, and as `Transfer.replaceAll` does.
   */
  async restore(id: string, condition?: Condition): Promise<LeftOut> {
    const past = await this.look(id);
    await this.#transfer.replaceAll(
      past.nodes.map(draftOf),
      past.nodes.flatMap(subscriptionsOf),
      past.templates,
      'restore',
      condition,
    );
    return past.leftOut;
  }

  /** What a restore of a snapshot would put in the place of what is there. Rejects with FILE_NOT_FOUND. */
  async look(id: string): Promise<Past> {
    const records = await this.#store.read(id);
    const store = { load: () => Promise.resolve(records), commit: () => Promise.resolve() };
    // Nothing is logged, because the reply has what is left out.
    const quiet = (): void => undefined;
    const log = { debug: quiet, info: quiet, notice: quiet, warn: quiet, error: quiet };
    const past = new State({ ...this.#state.ports, store, log });
    await Replica.load(past);
    const nodes = [...past.nodes.values()];
    const templates = [...past.templates.values()];
    const isKnown = ({ plugin }: Template): boolean => this.#state.ports.plugins.byId(plugin) !== undefined;
    return {
      nodes: nodes.filter(isThere),
      templates: templates.filter(isKnown).map((template) => this.#bodyOf(template)),
      leftOut: {
        nodes: nodes.filter((node) => !isThere(node)).map(leftOf),
        templates: templates
          .filter((template) => !isKnown(template))
          .map(({ name, pluginName }) => ({ name, plugin: pluginName })),
      },
    };
  }

  get #store(): SnapshotStore {
    return this.#state.ports.snapshots;
  }

  #bodyOf(template: Template): TemplateBody {
    return {
      name: template.name,
      plugin: this.#state.templatePlugin(template).name,
      groups: groupDrafts(template.groups),
    };
  }
}

function isThere({ plugin }: Node): boolean {
  return plugin.absent !== true;
}

function draftOf({ name, plugin, params, running, groups, profile }: Node): NodeDraft {
  return {
    name,
    plugin: plugin.name,
    params,
    isStopped: running === RunningState.STOPPED,
    groups: groupDrafts(groups),
    profile,
  };
}

/** Subscriptions of an app to drivers whose plugins are installed. */
function subscriptionsOf({ name: app, subscriptions }: Node): SubscriptionDraft[] {
  return [...subscriptions.values()]
    .filter(({ group }) => isThere(group.node))
    .map(({ group, params }) => ({ app, driver: group.node.name, group: group.name, params }));
}

function leftOf({ name, plugin, groups, subscriptions }: Node): LeftOut['nodes'][number] {
  const toGroups = [...groups.values()].reduce((sum, group) => sum + group.subscriptions.size, 0);
  return { name, plugin: plugin.name, groups: groups.size, subscriptions: subscriptions.size + toGroups };
}
