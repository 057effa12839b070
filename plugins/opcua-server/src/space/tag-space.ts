import type { Layout, Sample, Subscription, TagInfo } from '@tagway/sdk';
import type { AddressSpace, Namespace, UAObject } from 'node-opcua-address-space';
import type { StatusCode } from 'node-opcua-status-code';
import { historyConfiguration } from '../history/capabilities.ts';
import { foldersOf, type Params } from '../settings.ts';
import { badValue, type SampleWriter } from '../values/sample-writer.ts';
import { engineeringOf, isSameEngineering, putEngineering } from './engineering.ts';
import { Folders } from './folders.ts';
import { ModelChanges } from './model-changes.ts';
import { folderReference, referenceOf } from './names.ts';
import { TagNodes } from './tag-nodes.ts';
import { variableType } from './types.ts';
import { setValue, shapeOf, type TagVariable, type ValueNode } from './variable.ts';

/** What the space holds for one subscription. */
interface SubscribedGroup {
  subscription: Subscription<Params>;
  /** By reference. */
  variables: Map<string, TagVariable>;
  /** The variables of the columns of a layout. */
  columns: WeakMap<Layout, readonly (ValueNode | undefined)[]>;
}

interface PlacedTag {
  readonly info: TagInfo;
  readonly isReadable: boolean;
  readonly keepsHistory: boolean;
  readonly reference: string;
  readonly browseName: string;
}

/** The nodes of all tags that the app subscribes to. A change of the subscriptions changes the nodes that it concerns, and no others. */
export class TagSpace {
  readonly #space: AddressSpace;
  readonly #namespace: Namespace;
  readonly #folders: Folders;
  readonly #nodes: TagNodes;
  readonly #changes: ModelChanges;
  readonly #writer: SampleWriter;
  readonly #groups = new Map<number, SubscribedGroup>();
  readonly #byReference = new Map<string, TagVariable>();
  readonly #statusOfNew: () => StatusCode;

  /** `statusOfNew`: of a tag that has got no value yet. */
  constructor(
    space: AddressSpace,
    namespace: Namespace,
    folder: string,
    writer: SampleWriter,
    statusOfNew: () => StatusCode,
  ) {
    this.#statusOfNew = statusOfNew;
    this.#space = space;
    this.#namespace = namespace;
    this.#writer = writer;
    this.#changes = new ModelChanges(space);
    this.#nodes = new TagNodes(space, namespace, historyConfiguration(space).nodeId);
    const root: UAObject = namespace.addFolder(space.rootFolder.objects, {
      browseName: { name: folder, namespaceIndex: namespace.index },
      displayName: folder,
      nodeId: 's=/',
      nodeVersion: '1',
    } as Parameters<Namespace['addFolder']>[1]);
    this.#folders = new Folders(namespace, root);
  }

  get size(): number {
    return this.#byReference.size;
  }

  /** The tag of a node id's text. */
  find(reference: string): TagVariable | undefined {
    return this.#byReference.get(reference);
  }

  /** Makes the nodes those of these subscriptions, and reports what has changed. */
  update(all: readonly Subscription<Params>[]): void {
    // The library would look for somebody to tell at every node; one event at the end tells it.
    const space = this.#space as unknown as { suspendModelChangeEvents: boolean };
    space.suspendModelChangeEvents = true;
    try {
      const ids = new Set(all.map(({ id }) => id));
      for (const [id, group] of this.#groups) if (!ids.has(id)) this.#remove(id, group);
      for (const subscription of all) {
        const known = this.#groups.get(subscription.id);
        if (known?.subscription !== subscription) this.#take(subscription, known);
      }
    } finally {
      space.suspendModelChangeEvents = false;
    }
    this.#changes.report();
  }

  /** Gives the variables of a subscription the values of a sample. */
  deliver(sample: Sample, { id }: Subscription<Params>): void {
    const group = this.#groups.get(id);
    if (group === undefined) return;
    let nodes = group.columns.get(sample.layout);
    if (nodes === undefined) {
      nodes = nodesOf(group, sample.layout);
      group.columns.set(sample.layout, nodes);
    }
    this.#writer.write(sample, nodes);
  }

  #take(subscription: Subscription<Params>, known: SubscribedGroup | undefined): void {
    const group = known ?? {
      subscription,
      variables: new Map<string, TagVariable>(),
      columns: new WeakMap(),
    };
    const before = group.variables;
    group.subscription = subscription;
    group.variables = new Map();
    group.columns = new WeakMap();
    this.#groups.set(subscription.id, group);
    const added: PlacedTag[] = [];
    for (const placed of placedTags(subscription)) {
      const old = before.get(placed.reference);
      if (old !== undefined && staysAs(old, placed) && isIn(old, subscription)) {
        before.delete(placed.reference);
        group.variables.set(placed.reference, old);
        if (old.description !== placed.info.description) {
          old.description = placed.info.description;
          old.node.setDescription(placed.info.description);
        }
        this.#describe(old, placed);
      } else added.push(placed);
    }
    // Those that go leave first: one of the same id may come.
    this.#delete(before);
    for (const placed of added) this.#add(group, placed);
  }

  #add(
    { subscription, variables }: SubscribedGroup,
    { info, isReadable, keepsHistory, reference, browseName }: PlacedTag,
  ): void {
    // Another app group cannot have it; a name that comes twice in a group would be a fault of the host.
    if (this.#byReference.has(reference)) return;
    const folder = this.#folders.open(chainOf(subscription), (made) => {
      if (made.parent !== undefined) this.#changes.added(made.node.nodeId, made.parent);
    });
    const shape = shapeOf(info, isReadable, keepsHistory);
    const { description } = info;
    const node = this.#nodes.make({ reference, browseName, description, folder, ...shape });
    setValue(node, badValue(this.#statusOfNew(), Date.now()));
    folder.members++;
    const { driver, group } = subscription;
    const own = { driver, group, tag: info.name, browseName, folder, description, engineering: {}, node };
    const variable: TagVariable = { ...own, ...shape };
    this.#describe(variable, { info, reference });
    variables.set(reference, variable);
    this.#byReference.set(reference, variable);
    this.#changes.added(node.nodeId, folder);
  }

  /** Gives the variable the unit and the span of its tag. */
  #describe(variable: TagVariable, { info, reference }: Pick<PlacedTag, 'info' | 'reference'>): void {
    const engineering = engineeringOf(info);
    if (isSameEngineering(engineering, variable.engineering)) return;
    variable.engineering = engineering;
    putEngineering(this.#namespace, reference, variable.node, engineering);
  }

  #remove(id: number, group: SubscribedGroup): void {
    this.#groups.delete(id);
    this.#delete(group.variables);
  }

  #delete(variables: ReadonlyMap<string, TagVariable>): void {
    for (const [reference, { node, folder }] of variables) {
      this.#changes.deleted(node.nodeId, folder);
      this.#byReference.delete(reference);
      this.#namespace.deleteNode(node);
      this.#folders.leave(folder, (gone) => {
        if (gone.parent !== undefined) this.#changes.deleted(gone.node.nodeId, gone.parent);
      });
    }
  }
}

function* placedTags({ driver, group, layout, params }: Subscription<Params>): Generator<PlacedTag> {
  const pattern = params?.name ?? '{tag}';
  const place = (info: TagInfo, isReadable: boolean): PlacedTag => ({
    info,
    isReadable,
    keepsHistory: layout.keepsHistory === true,
    reference: referenceOf(driver, group, info.name),
    browseName: named(pattern, { driver, group, tag: info.name }),
  });
  for (const column of layout.columns) yield place(column, true);
  for (const info of layout.writeOnly) yield place(info, false);
}

function named(pattern: string, names: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(driver|group|tag)\}/g, (_all, key: string) => names[key] ?? '');
}

/** The folders that the tags of a subscription are in, from the outermost. */
function chainOf({ driver, group, params }: Subscription<Params>): { reference: string; name: string }[] {
  if (params?.path === undefined)
    return [
      { reference: referenceOf(driver), name: driver },
      { reference: referenceOf(driver, group), name: group },
    ];
  const folders = foldersOf(params.path);
  return folders.map((name, index) => ({ reference: folderReference(...folders.slice(0, index + 1)), name }));
}

function staysAs(old: TagVariable, { info, isReadable, keepsHistory, browseName }: PlacedTag): boolean {
  const { type, isWritable, hasHistory } = shapeOf(info, isReadable, keepsHistory);
  return (
    old.type === type &&
    old.isReadable === isReadable &&
    old.isWritable === isWritable &&
    old.hasHistory === hasHistory &&
    old.browseName === browseName
  );
}

function isIn({ folder }: TagVariable, subscription: Subscription<Params>): boolean {
  return folder.reference === chainOf(subscription).at(-1)?.reference;
}

function nodesOf(
  { variables }: SubscribedGroup,
  { driver, group, columns }: Layout,
): (ValueNode | undefined)[] {
  return columns.map((column) => {
    const variable = variables.get(referenceOf(driver, group, column.name));
    // A sample that is late may have a tag with another type than it has now.
    return variable !== undefined && variable.type === variableType(column.valueType)
      ? variable.node
      : undefined;
  });
}
