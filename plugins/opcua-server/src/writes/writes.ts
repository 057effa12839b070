import type { AppContext, TagWrite } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import type { LimitedLog } from '@tagway/store/log';
import type { ISessionContext } from 'node-opcua-address-space';
import { AttributeIds } from 'node-opcua-data-model';
import { NodeIdType } from 'node-opcua-nodeid';
import type { ServerEngine } from 'node-opcua-server';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import type { WriteValue } from 'node-opcua-types';
import { type Caller, writesFor } from '../security/callers.ts';
import type { TagSpace } from '../space/tag-space.ts';
import type { TagVariable } from '../space/variable.ts';
import { refusalOf } from '../values/statuses.ts';
import { wantedValue } from './write-value.ts';

export interface WriterOptions {
  readonly context: Pick<AppContext, 'write' | 'signal' | 'count' | 'log'>;
  readonly space: TagSpace;
  readonly namespace: number;
  readonly failures: LimitedLog;
  /** Who sends a request; undefined: nobody who may write. */
  callerOf(session: ISessionContext): Caller | undefined;
}

const valueAttribute: number = AttributeIds.Value;

interface Accepted {
  readonly index: number;
  readonly write: TagWrite;
}

/**
 * Carries out the Write service for tags: all of a request in one call of the gateway, answered when the devices have. The library would
 * write node by node.
 */
export class Writes {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Takes the place of the engine's own write, which other nodes than tags are still given to. */
  install(engine: ServerEngine): void {
    const others = engine.write.bind(engine);
    engine.write = async (session, nodes) => {
      const caller = this.#options.callerOf(session);
      const results = new Array<StatusCode>(nodes.length).fill(StatusCodes.Good);
      const accepted: Accepted[] = [];
      const rest: number[] = [];
      for (const [index, node] of nodes.entries()) {
        const tag = this.#tagOf(node);
        if (tag === undefined) rest.push(index);
        else {
          const outcome = this.#check(caller, tag, node);
          if ('refusal' in outcome) results[index] = outcome.refusal;
          else accepted.push({ index, write: outcome.write });
        }
      }
      const statuses =
        rest.length === 0
          ? []
          : await others(
              session,
              rest.map((index) => nodes[index]!),
            );
      for (const [at, index] of rest.entries()) results[index] = statuses[at] ?? StatusCodes.BadInternalError;
      if (accepted.length > 0) await this.#write(caller, accepted, results);
      return results;
    };
  }

  #tagOf({ nodeId, attributeId }: WriteValue): TagVariable | undefined {
    if (attributeId !== valueAttribute || nodeId.namespace !== this.#options.namespace) return undefined;
    return nodeId.identifierType === NodeIdType.STRING
      ? this.#options.space.find(String(nodeId.value))
      : undefined;
  }

  #check(
    caller: Caller | undefined,
    { driver, group, tag, type, isWritable }: TagVariable,
    node: WriteValue,
  ): { readonly refusal: StatusCode } | { readonly write: TagWrite } {
    if (!isWritable) return { refusal: StatusCodes.BadNotWritable };
    if (caller?.mayWrite !== true) return { refusal: StatusCodes.BadUserAccessDenied };
    const wanted = wantedValue(type, node);
    return 'refusal' in wanted ? wanted : { write: { driver, group, tag, value: wanted.value } };
  }

  async #write(
    caller: Caller | undefined,
    accepted: readonly Accepted[],
    results: StatusCode[],
  ): Promise<void> {
    const { context, failures } = this.#options;
    try {
      const faults = await context.write(
        accepted.map(({ write }) => write),
        { signal: context.signal, ...writesFor(caller) },
      );
      for (const [at, { index, write }] of accepted.entries()) {
        const fault = faults[at];
        if (fault === undefined) continue;
        results[index] = refusalOf(fault.code);
        failures.add((others) =>
          context.log.warn(
            `The write of ${caller?.name ?? 'a client'} to the tag ${write.tag} in the group ${write.group} of ${write.driver} was answered ` +
              `with ${results[index]?.name}: ${fault.message}${others}`,
          ),
        );
      }
      context.count('recv_writes_total', accepted.length);
    } catch (error) {
      const status = isFault(error) ? refusalOf(error.code) : StatusCodes.BadShutdown;
      for (const { index } of accepted) results[index] = status;
    }
  }
}
