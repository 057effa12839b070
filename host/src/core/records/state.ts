import { ErrorCode, NodeType, type Dialect } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import type { LicenseTerms } from '../access/certificate.ts';
import { Lock } from './lock.ts';
import { InputLinks } from '../nodes/input-links.ts';
import type { Group, Node, Plugin, Template, TemplateGroup } from '../model.ts';
import type {
  Libraries,
  LogLevels,
  Plugins,
  Runtime,
  SnapshotStore,
  Store,
  StoreChanges,
} from '../ports/ports.ts';
import { refuse } from '../system/refuse.ts';
import { keys } from './records.ts';
import { sentence } from '../system/sentence.ts';

/** Changes that may wait; the next request is answered with BUSY. */
const waitingLimit = 1000;

export interface Ports {
  readonly store: Store;
  readonly snapshots: SnapshotStore;
  readonly runtime: Runtime;
  readonly plugins: Plugins;
  readonly libraries: Libraries;
  readonly logLevels: LogLevels;
  readonly log: Log;
  readonly dialect: Pick<
    Dialect,
    | 'link'
    | 'deletesSubscribedGroups'
    | 'refusesMissingTags'
    | 'passwordMax'
    | 'groupInterval'
    | 'longestText'
    | 'longestAddress'
    | 'settingDefaults'
    | 'hasRoles'
    | 'endsSessions'
  >;
  /** The cost N of the hash of a password. Absent: what makes guessing slow. */
  readonly hashCost?: number | undefined;
}

/** Rejects when what a change depends on does not hold any more; nothing is changed then. */
export type Condition = () => Promise<void>;

/** What the parts of the core share: the objects, the order of changes and the ids. */
export class State {
  /** By name, in the order of creation. */
  readonly nodes = new Map<string, Node>();
  /** By name, in the order of creation. */
  readonly templates = new Map<string, Template>();
  readonly ports: Ports;
  readonly links: InputLinks;
  /** Undefined: nothing is limited. */
  license: LicenseTerms | undefined;
  readonly #lock = new Lock();
  #lastId = 0;
  #storedId = 0;
  #changes = 0;

  constructor(ports: Ports) {
    this.ports = ports;
    const { nodes, templates } = this;
    const { plugins, runtime, log } = ports;
    this.links = new InputLinks({ nodes, templates, plugins, runtime, log });
  }

  /** Throws NODE_NOT_FOUND. */
  node(name: string): Node {
    return this.nodes.get(name) ?? refuse(ErrorCode.NODE_NOT_FOUND, sentence`There is no node "${name}".`);
  }

  /** Throws NODE_NOT_FOUND, or GROUP_NOT_ALLOWED for an app. */
  driver(name: string): Node {
    const node = this.node(name);
    if (node.plugin.nodeType !== NodeType.DRIVER) {
      refuse(ErrorCode.GROUP_NOT_ALLOWED, sentence`The node "${name}" is an app and has no groups.`);
    }
    return node;
  }

  /** Throws as `driver` does, or GROUP_NOT_FOUND. */
  group(node: string, name: string): Group {
    return groupOf(this.driver(node), name);
  }

  /** Throws TEMPLATE_NOT_FOUND. */
  template(name: string): Template {
    const template = this.templates.get(name);
    return template ?? refuse(ErrorCode.TEMPLATE_NOT_FOUND, sentence`There is no template "${name}".`);
  }

  /** Throws TEMPLATE_NOT_FOUND or GROUP_NOT_FOUND. */
  templateGroup(template: string, name: string): TemplateGroup {
    const group = this.template(template).groups.get(name);
    return (
      group ?? refuse(ErrorCode.GROUP_NOT_FOUND, sentence`The template "${template}" has no group "${name}".`)
    );
  }

  /** Throws LIBRARY_NOT_FOUND when the plugin of a template is gone. */
  templatePlugin({ name, plugin: id, pluginName }: Template): Plugin {
    const text = sentence`The plugin "${pluginName}" of the template "${name}" is not installed.`;
    return this.ports.plugins.byId(id) ?? refuse(ErrorCode.LIBRARY_NOT_FOUND, text);
  }

  /** False once a node was deleted. */
  has(node: Node): boolean {
    return this.nodes.get(node.name) === node;
  }

  /**
   * Runs `work`, which validates, commits and changes the objects, alone among all changes. Nothing in it waits for a
   * plugin: a plugin that hangs must not hold up other changes. `condition` is called right before it, so that no other change
   * comes between the two. Rejects with BUSY when too many are waiting.
   */
  change<T>(work: () => Promise<T>, condition?: Condition): Promise<T> {
    return this.#lock.run(async () => {
      await condition?.();
      return this.#linked(work);
    }, waitingLimit);
  }

  /** Like `change`, for changes that no request asked for, such as a plugin's refusal: they wait however many are waiting. */
  settle<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(() => this.#linked(work));
  }

  /** Like `change`, or with `always` like `settle`, for what no tag refers to, such as values. */
  changeValues<T>(work: () => Promise<T>, always = false): Promise<T> {
    return this.#lock.run(work, always ? undefined : waitingLimit);
  }

  /** Grows with each change of the configuration, also with one that was refused. */
  get changes(): number {
    return this.#changes;
  }

  async #linked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#changes++;
      this.links.update();
    }
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

/** Throws GROUP_NOT_FOUND. */
export function groupOf({ name: node, groups }: Node, name: string): Group {
  return (
    groups.get(name) ??
    refuse(ErrorCode.GROUP_NOT_FOUND, sentence`The node "${node}" has no group "${name}".`)
  );
}

function* withSequence(
  entries: NonNullable<StoreChanges['set']>,
  last: number,
): Generator<readonly [key: string, record: unknown]> {
  yield* entries;
  yield [keys.sequence, last];
}
