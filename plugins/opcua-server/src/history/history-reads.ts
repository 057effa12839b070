import { type AppContext, isFault } from '@tagway/sdk';
import type { AddressSpace, ISessionContext } from 'node-opcua-address-space';
import { TimestampsToReturn } from 'node-opcua-data-value';
import { type NodeId, NodeIdType } from 'node-opcua-nodeid';
import type { ServerEngine } from 'node-opcua-server';
import { StatusCodes } from 'node-opcua-status-code';
import {
  HistoryData,
  HistoryReadResult,
  type HistoryReadRequest,
  type HistoryReadValueId,
  ReadProcessedDetails,
  ReadRawModifiedDetails,
} from 'node-opcua-types';
import type { TagSpace } from '../space/tag-space.ts';
import type { TagVariable } from '../space/variable.ts';
import { type HistoryPart, type HistorySource, mostValues, Refused } from './history-part.ts';
import { historyRefusalOf } from './history-statuses.ts';
import { readProcessed } from './processed.ts';
import { readRaw } from './raw.ts';

/** Most values of all tags in an answer. */
const mostInAnswer = 50_000;

export interface HistoryReadsOptions {
  readonly context: Pick<AppContext, 'history' | 'signal' | 'count' | 'log'>;
  readonly space: Pick<TagSpace, 'find'>;
  readonly nodes: Pick<AddressSpace, 'findNode'>;
  readonly namespace: number;
}

/** Carries out the HistoryRead service for tags of which the gateway keeps a history: every value, or aggregates of intervals. */
export class HistoryReads {
  readonly #options: HistoryReadsOptions;

  constructor(options: HistoryReadsOptions) {
    this.#options = options;
  }

  /** Takes the place of the engine's own read, which answers for no node of ours. */
  install(engine: ServerEngine): void {
    engine.historyRead = async (session, request) => {
      const results: HistoryReadResult[] = [];
      // One after the other: the gateway reads one history at a time.
      for (const [index, node] of (request.nodesToRead ?? []).entries())
        results.push(await this.#result(session, request, node, index));
      return results;
    };
  }

  async #result(
    session: ISessionContext,
    request: HistoryReadRequest,
    node: HistoryReadValueId,
    index: number,
  ): Promise<HistoryReadResult> {
    // Nothing is held for a client between two requests.
    if (request.releaseContinuationPoints) return new HistoryReadResult({ statusCode: StatusCodes.Good });
    try {
      const { values, continuation } = await this.#read(session, request, node, index);
      this.#options.context.count('history_values_total', values.length);
      for (const value of values) {
        if (request.timestampsToReturn === TimestampsToReturn.Source) value.serverTimestamp = null;
        if (request.timestampsToReturn === TimestampsToReturn.Server) value.sourceTimestamp = null;
      }
      return new HistoryReadResult({
        statusCode: values.length === 0 ? StatusCodes.GoodNoData : StatusCodes.Good,
        historyData: new HistoryData({ dataValues: values }),
        ...(continuation && { continuationPoint: continuation }),
      });
    } catch (error) {
      if (error instanceof Refused) return new HistoryReadResult({ statusCode: error.status });
      if (isFault(error)) return new HistoryReadResult({ statusCode: historyRefusalOf(error.code) });
      const { context } = this.#options;
      if (context.signal.aborted) return new HistoryReadResult({ statusCode: StatusCodes.BadShutdown });
      context.log.error(`The history of ${node.nodeId.toString()} could not be read: ${String(error)}`);
      return new HistoryReadResult({ statusCode: StatusCodes.BadInternalError });
    }
  }

  async #read(
    session: ISessionContext,
    request: HistoryReadRequest,
    node: HistoryReadValueId,
    index: number,
  ): Promise<HistoryPart> {
    const tag = this.#readable(session, node);
    if (request.timestampsToReturn === TimestampsToReturn.Neither)
      throw new Refused(StatusCodes.BadTimestampsToReturnInvalid);
    const { context } = this.#options;
    const history: HistorySource = (range) => context.history(tag, range, { signal: context.signal });
    const most = Math.min(mostValues, Math.ceil(mostInAnswer / (request.nodesToRead?.length ?? 1)));
    const { historyReadDetails: details } = request;
    const { continuationPoint } = node;
    if (details instanceof ReadRawModifiedDetails)
      return await readRaw(tag, details, continuationPoint, history, most);
    if (details instanceof ReadProcessedDetails)
      return await readProcessed(tag, details, index, continuationPoint, history, most);
    throw new Refused(StatusCodes.BadHistoryOperationUnsupported);
  }

  /** The tag of a node, if the session may read its history. */
  #readable(session: ISessionContext, { nodeId, indexRange, dataEncoding }: HistoryReadValueId): TagVariable {
    const tag = this.#tagOf(nodeId);
    if (tag === undefined)
      throw new Refused(
        this.#options.nodes.findNode(nodeId) === null
          ? StatusCodes.BadNodeIdUnknown
          : StatusCodes.BadHistoryOperationUnsupported,
      );
    if (!tag.hasHistory) throw new Refused(StatusCodes.BadHistoryOperationUnsupported);
    if (!tag.node.canUserReadHistory(session)) throw new Refused(StatusCodes.BadUserAccessDenied);
    // No tag is an array or a structure.
    if (indexRange !== null && !indexRange.isEmpty()) throw new Refused(StatusCodes.BadIndexRangeNoData);
    if (dataEncoding.name !== null && dataEncoding.name !== '')
      throw new Refused(StatusCodes.BadDataEncodingUnsupported);
    return tag;
  }

  #tagOf(nodeId: NodeId): TagVariable | undefined {
    if (nodeId.namespace !== this.#options.namespace || nodeId.identifierType !== NodeIdType.STRING)
      return undefined;
    return this.#options.space.find(String(nodeId.value));
  }
}
