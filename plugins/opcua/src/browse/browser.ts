import {
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
  type DataType,
  ErrorCode,
  Fault,
} from '@tagway/sdk';
import {
  AttributeIds,
  DataType as UaType,
  type LocalizedText,
  makeNodeId,
  NodeClass,
  type NodeId,
  type ReferenceDescription,
  type Variant,
  VariantArrayType,
} from 'node-opcua-client';
import { addressOf, parseAddress } from '../address.ts';
import type { Session } from '../link/session.ts';
import { tagTypeOf } from '../value-types.ts';
import { browse, keyOf, mostEntries, parentType, readParts, readValue } from './references.ts';

/** Entries on one page. */
const pageSize = 500;
/** Lists that are kept for their further pages. */
const mostLists = 4;
/** Steps from a data type up to a built-in one. */
const mostSteps = 10;

/** The top, of namespace 0. */
const objectsFolder = makeNodeId(85);

/** Built-in types by their ids in namespace 0, which are their numbers; values of an enumeration, 29, travel as Int32. */
const builtIns: ReadonlyMap<number, UaType> = new Map([
  ...Object.values(UaType).flatMap((type) =>
    typeof type === 'number' ? [[type as number, type] as const] : [],
  ),
  [29, UaType.Int32],
]);

interface Entry {
  readonly name: string;
  readonly id: string;
  /** A variable, whose type is looked up for its page; or the type of an element of an array. */
  readonly variable?: NodeId;
  readonly type?: DataType | 0;
}

/** All that lies at one place. */
interface List {
  readonly session: Session;
  readonly type: DataType | 0;
  readonly isArray: boolean;
  readonly entries: readonly Entry[];
}

/** Lists the address space of the server: the children of a node, and the elements of an array. */
export class Browser {
  /** Lists that are kept for their further pages, by the id of the place. A page can do without: it lists the place again. */
  readonly #lists = new Map<string, List>();
  /** Built-in types by the ids of data types that stand for them. */
  readonly #builtIn = new Map<string, UaType>();

  /** The cursor is the number of the entry with which the page begins. */
  async browse(
    { id, cursor = '0' }: BrowseRequest,
    session: Session,
    signal: AbortSignal,
  ): Promise<BrowsePage> {
    const from = Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new Fault(ErrorCode.READ_FAILED, `"${cursor}" is not where a page of this list begins.`);
    const kept = this.#lists.get(id);
    const isKept = from > 0 && kept?.session === session;
    const list = isKept ? kept : await this.#list(id, session, signal);
    const { type, isArray, entries } = list;
    const page = entries.slice(from, from + pageSize);
    const next = from + page.length;
    const isLast = next >= entries.length;
    if (isLast) this.#lists.delete(id);
    else this.#keep(id, list);
    const described = await this.#describe(page, session, signal);
    return {
      total: entries.length,
      type,
      isArray,
      entries: described,
      ...(!isLast && { cursor: String(next) }),
    };
  }

  #keep(id: string, list: List): void {
    this.#lists.delete(id);
    this.#lists.set(id, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > mostLists && oldest !== undefined) this.#lists.delete(oldest);
  }

  async #list(id: string, session: Session, signal: AbortSignal): Promise<List> {
    const address = id === '' ? { nodeId: objectsFolder, indexRange: '' } : parseAddress(id);
    if (address === undefined || address.indexRange !== '')
      throw new Fault(ErrorCode.READ_FAILED, `"${id}" is not the id of a node, such as 2!Machines.`);
    const { nodeId } = address;
    const children = await browse(session, nodeId, signal);
    if (children === undefined)
      throw new Fault(ErrorCode.READ_FAILED, `The OPC UA server has no node "${id}".`);
    const value = id === '' ? undefined : await readValue(session, nodeId, signal);
    const type = value ? tagTypeOf(value.dataType) : 0;
    const isArray = value !== undefined && value.arrayType !== VariantArrayType.Scalar;
    const elements = isArray && type !== 0 ? elementsOf(nodeId, value, type) : [];
    const entries = children.flatMap((child) => entryOf(child) ?? []);
    return { session, type, isArray, entries: [...elements, ...entries] };
  }

  /** Looks up the types and descriptions of the variables on a page. */
  async #describe(page: readonly Entry[], session: Session, signal: AbortSignal): Promise<BrowseEntry[]> {
    const variables = page.flatMap(({ variable }) => variable ?? []);
    const attributes = variables.flatMap((nodeId) => [
      { nodeId, attributeId: AttributeIds.DataType },
      { nodeId, attributeId: AttributeIds.ValueRank },
      { nodeId, attributeId: AttributeIds.Description },
    ]);
    const results = await readParts(session, attributes, signal);
    const described: BrowseEntry[] = [];
    let at = 0;
    for (const { name, id, variable, type: known = 0 } of page) {
      let type = known;
      let description: string | undefined;
      if (variable !== undefined) {
        const dataType = results[at]?.value?.value as NodeId | undefined;
        const rank = results[at + 1]?.value?.value as number | undefined;
        description = (results[at + 2]?.value?.value as LocalizedText | undefined)?.text ?? undefined;
        at += 3;
        // -1 is a scalar, -2 and -3 may be one; an array is not a tag but a place with its elements.
        const maybeScalar = typeof rank === 'number' && rank < 0;
        if (dataType && maybeScalar) type = tagTypeOf(await this.#builtInOf(dataType, session, signal));
      }
      described.push({ name, id, readable: type !== 0, type, ...(description && { description }) });
    }
    return described;
  }

  /** The built-in type of a data type: itself, or the one that it descends from (OPC 10000-6, 5.1.2). */
  async #builtInOf(dataType: NodeId, session: Session, signal: AbortSignal): Promise<UaType> {
    const key = keyOf(dataType);
    let current: NodeId | undefined = dataType;
    let found = this.#builtIn.get(key);
    for (let step = 0; found === undefined && current !== undefined && step < mostSteps; step++) {
      const { namespace, value }: NodeId = current;
      found = namespace === 0 ? builtIns.get(Number(value)) : undefined;
      if (found === undefined) current = await parentType(session, current, signal);
    }
    found ??= UaType.Null;
    this.#builtIn.set(key, found);
    return found;
  }
}

function entryOf({ nodeId, nodeClass, displayName, browseName }: ReferenceDescription): Entry | undefined {
  // What lies in another server cannot be reached through this one.
  const id = nodeId.serverIndex ? undefined : addressOf(nodeId);
  if (id === undefined) return undefined;
  const name = displayName.text ?? browseName.name ?? id;
  return NodeClass[nodeClass] === 'Variable' ? { name, id, variable: nodeId } : { name, id };
}

function elementsOf(nodeId: NodeId, { value, dimensions }: Variant, type: DataType): Entry[] {
  const lengths = dimensions ?? [(value as ArrayLike<unknown> | null)?.length ?? 0];
  const count = Math.min(
    lengths.reduce((product, length) => product * length, 1),
    mostEntries,
  );
  return Array.from({ length: count }, (_, place) => {
    let rest = place;
    // The last index runs fastest (OPC 10000-6, 5.2.2.16).
    const indices = lengths.toReversed().map((length) => {
      const index = rest % length;
      rest = Math.floor(rest / length);
      return index;
    });
    const index = indices.reverse().join(',');
    return { name: `[${index}]`, id: addressOf(nodeId, index) ?? '', type };
  });
}
