import { ErrorCode, NodeType, type Profile } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { Fault } from '@tagway/sdk';
import type { LicenseTerms } from './certificate.ts';
import { Lock } from './lock.ts';
import type { Group, Node, Plugin, Template, TemplateGroup } from './model.ts';
import type { Libraries, LogLevels, Plugins, Runtime, SnapshotStore, Store, StoreChanges } from './ports.ts';
import { checkCondition } from './precondition.ts';
import { keys } from './records.ts';

/** Requests that may wait for their turn to change something before the answer is BUSY. */
const waitingLimit = 1000;

export interface Ports {
  readonly store: Store;
  readonly snapshots: SnapshotStore;
  readonly runtime: Runtime;
  readonly plugins: Plugins;
  readonly libraries: Libraries;
  readonly logLevels: LogLevels;
  readonly log: Log;
  readonly profile: Pick<
    Profile,
    | 'link'
    | 'deletesSubscribedGroups'
    | 'refusesMissingTags'
    | 'passwordMax'
    | 'groupInterval'
    | 'longestText'
    | 'settingDefaults'
    | 'hasRoles'
    | 'endsSessions'
  >;
}

/** What the parts of the core share: the objects, the order of changes and the ids. */
export class State {
  /** By name, in the order of creation. */
  readonly nodes = new Map<string, Node>();
  /** By name, in the order of creation. */
  readonly templates = new Map<string, Template>();
  readonly ports: Ports;
  /** Undefined: nothing is limited. */
  license: LicenseTerms | undefined;
  readonly #lock = new Lock();
  #lastId = 0;
  #storedId = 0;

  constructor(ports: Ports) {
    this.ports = ports;
  }

  /** Throws NODE_NOT_FOUND. */
  node(name: string): Node {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Fault(ErrorCode.NODE_NOT_FOUND, `There is no node "${name}".`);
    return node;
  }

  /** Throws NODE_NOT_FOUND, or GROUP_NOT_ALLOWED for an app. */
  driver(name: string): Node {
    const node = this.node(name);
    if (node.plugin.nodeType !== NodeType.DRIVER) {
      throw new Fault(ErrorCode.GROUP_NOT_ALLOWED, `The node "${name}" is an app and has no groups.`);
    }
    return node;
  }

  /** Throws as `driver` does, or GROUP_NOT_FOUND. */
  group(node: string, name: string): Group {
    const group = this.driver(node).groups.get(name);
    if (group === undefined)
      throw new Fault(ErrorCode.GROUP_NOT_FOUND, `The node "${node}" has no group "${name}".`);
    return group;
  }

  /** Throws TEMPLATE_NOT_FOUND. */
  template(name: string): Template {
    const template = this.templates.get(name);
    if (template === undefined)
      throw new Fault(ErrorCode.TEMPLATE_NOT_FOUND, `There is no template "${name}".`);
    return template;
  }

  /** Throws TEMPLATE_NOT_FOUND or GROUP_NOT_FOUND. */
  templateGroup(template: string, name: string): TemplateGroup {
    const group = this.template(template).groups.get(name);
    if (group === undefined)
      throw new Fault(ErrorCode.GROUP_NOT_FOUND, `The template "${template}" has no group "${name}".`);
    return group;
  }

  /** Throws LIBRARY_NOT_FOUND when the plugin of a template is gone. */
  templatePlugin({ name, plugin: id, pluginName }: Template): Plugin {
    const plugin = this.ports.plugins.byId(id);
    if (plugin === undefined) {
      throw new Fault(
        ErrorCode.LIBRARY_NOT_FOUND,
        `The plugin "${pluginName}" of the template "${name}" is not installed.`,
      );
    }
    return plugin;
  }

  /** False once a node was deleted. */
  has(node: Node): boolean {
    return this.nodes.get(node.name) === node;
  }

  /**
   * Runs `work`, which validates, commits and changes the objects, alone among all changes. Nothing in it waits for a
   * plugin: a plugin that hangs must not hold up the changes of others. Rejects with BUSY when too many are waiting.
   */
  change<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(async () => {
      await checkCondition();
      return work();
    }, waitingLimit);
  }

  /** Like `change`, for changes that no request asked for, such as a plugin's refusal: there is nobody to answer BUSY, so they always wait. */
  settle<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(work);
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Takes note of an id that exists in the store. */
  seenId(id: number): void {
    this.#lastId = Math.max(this.#lastId, id);
  }

  /** Makes changes durable. Rejects with INTERNAL when that fails; nothing may be changed in the objects then. */
  async commit(changes: StoreChanges): Promise<void> {
    const last = this.#lastId;
    if (last === this.#storedId) return this.ports.store.commit(changes);
    await this.ports.store.commit({ ...changes, set: withSequence(changes.set ?? [], last) });
    this.#storedId = last;
  }
}

function* withSequence(
  entries: NonNullable<StoreChanges['set']>,
  last: number,
): Generator<readonly [key: string, record: unknown]> {
  yield* entries;
  yield [keys.sequence, last];
}
