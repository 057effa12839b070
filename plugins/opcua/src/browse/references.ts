import { ErrorCode, Fault } from '@tagway/sdk';
import {
  AttributeIds,
  type BrowseDescriptionOptions,
  BrowseDirection,
  BrowseNextRequest,
  type BrowseNextResponse,
  BrowseRequest,
  type BrowseResponse,
  type BrowseResult,
  type DataValue,
  makeNodeId,
  NodeClass,
  type NodeId,
  ReadRequest,
  type ReadResponse,
  type ReferenceDescription,
  TimestampsToReturn,
  type Variant,
} from 'node-opcua-client';
import { undecodable } from '../faults.ts';
import { refusedWith, Undecodable } from '../link/refusal.ts';
import type { Session } from '../link/session.ts';

/** Entries of one place; what a server has beyond is left out. */
export const mostEntries = 100_000;

/** Nodes of namespace 0. */
const hierarchicalReferences = makeNodeId(33);
const hasSubtype = makeNodeId(45);

/** The objects and variables below a node, or undefined when there is no such node. */
export async function browse(
  session: Session,
  nodeId: NodeId,
  signal: AbortSignal,
): Promise<ReferenceDescription[] | undefined> {
  let result = await browseOne(
    session,
    {
      nodeId,
      browseDirection: BrowseDirection.Forward,
      referenceTypeId: hierarchicalReferences,
      includeSubtypes: true,
      nodeClassMask: NodeClass.Object | NodeClass.Variable,
      resultMask: 0x3f,
    },
    signal,
  );
  if (!result?.statusCode.isGoodish()) return undefined;
  const found = new Map<string, ReferenceDescription>();
  for (;;) {
    // A node may be reached by several references.
    for (const reference of result?.references ?? []) found.set(keyOf(reference.nodeId), reference);
    const point: Buffer | null | undefined = result?.continuationPoint;
    if (!point || point.length === 0) return [...found.values()];
    const isEnough: boolean = found.size >= mostEntries;
    const next = new BrowseNextRequest({ continuationPoints: [point], releaseContinuationPoints: isEnough });
    const answer: BrowseNextResponse = await ask<BrowseNextResponse>(session, next, signal);
    result = isEnough ? undefined : answer.results?.[0];
  }
}

/** What a node id is, as one text. */
export function keyOf({ namespace, identifierType, value }: NodeId): string {
  return `${namespace} ${identifierType} ${Buffer.isBuffer(value) ? value.toString('base64') : String(value)}`;
}

export async function parentType(
  session: Session,
  nodeId: NodeId,
  signal: AbortSignal,
): Promise<NodeId | undefined> {
  const node = {
    nodeId,
    browseDirection: BrowseDirection.Inverse,
    referenceTypeId: hasSubtype,
    includeSubtypes: false,
    nodeClassMask: NodeClass.DataType,
    resultMask: 0,
  };
  return (await browseOne(session, node, signal))?.references?.[0]?.nodeId;
}

async function browseOne(
  session: Session,
  node: BrowseDescriptionOptions,
  signal: AbortSignal,
): Promise<BrowseResult | undefined> {
  const request = new BrowseRequest({ nodesToBrowse: [node] });
  const { results } = await ask<BrowseResponse>(session, request, signal);
  return results?.[0];
}

export async function readValue(
  session: Session,
  nodeId: NodeId,
  signal: AbortSignal,
): Promise<Variant | undefined> {
  const [result] = await readParts(session, [{ nodeId, attributeId: AttributeIds.Value }], signal);
  return result?.statusCode.isGoodish() ? (result.value ?? undefined) : undefined;
}

export async function readParts(
  session: Session,
  nodesToRead: readonly { nodeId: NodeId; attributeId: AttributeIds }[],
  signal: AbortSignal,
): Promise<DataValue[]> {
  const all: DataValue[] = [];
  const most = session.most('read');
  for (let from = 0; from < nodesToRead.length; from += most) {
    const part = nodesToRead.slice(from, from + most);
    const request = new ReadRequest({ nodesToRead: part, timestampsToReturn: TimestampsToReturn.Neither });
    const { results } = await ask<ReadResponse>(session, request, signal);
    all.push(...(results ?? []));
  }
  return all;
}

async function ask<Response>(
  session: Session,
  request: Parameters<Session['send']>[0],
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await session.send<Response>(request, { signal });
  } catch (error) {
    if (error instanceof Undecodable) throw undecodable;
    const status = refusedWith(error);
    if (status === undefined) throw error;
    throw new Fault(ErrorCode.READ_FAILED, `The OPC UA server refused to be browsed: ${status.name}.`);
  }
}
