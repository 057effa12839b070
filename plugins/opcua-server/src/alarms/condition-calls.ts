import { type AppContext, ErrorCode, isFault } from '@tagway/sdk';
import type { LimitedLog } from '@tagway/store/log';
import type { ISessionContext } from 'node-opcua-address-space';
import type { ServerEngine } from 'node-opcua-server';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import { type CallMethodRequest, CallMethodResult } from 'node-opcua-types';
import { DataType } from 'node-opcua-variant';
import { type Caller, writesFor } from '../security/callers.ts';
import type { TagSpace } from '../space/tag-space.ts';
import { referenceOf } from '../space/names.ts';
import { refusalOf } from '../values/statuses.ts';
import { type CallArguments, argumentsOf } from './arguments.ts';
import { type Condition, isAcknowledged, isEventOf, isHidden } from './condition.ts';
import type { Conditions } from './conditions.ts';
import { type ConditionMethod, type Method, methods } from './methods.ts';
import type { RefreshedSubscription, Refreshes } from './refresh.ts';

export interface ConditionCallsOptions {
  readonly context: Pick<AppContext, 'write' | 'signal' | 'log'>;
  readonly conditions: Pick<Conditions, 'find'>;
  readonly tags: Pick<TagSpace, 'find'>;
  readonly refreshes: Refreshes;
  readonly failures: LimitedLog;
  /** Who sends a request. */
  callerOf(session: ISessionContext): Caller | undefined;
}

interface Session {
  readonly session?: { getSubscription?(id: number): RefreshedSubscription | null } | null;
}

const { WRITE_FAILED, VALUE_OUT_OF_RANGE, TYPE_MISMATCH } = ErrorCode;

/** Carries out the methods of conditions: they are commands, written to the tag of the alarm and answered when the gateway has confirmed them. */
export class ConditionCalls {
  readonly #options: ConditionCallsOptions;

  constructor(options: ConditionCallsOptions) {
    this.#options = options;
  }

  /** Takes the place of the engine's own call, which other methods are still given to. */
  install(engine: ServerEngine): void {
    const others = engine.call.bind(engine);
    engine.call = async (session, requests) => {
      const results: CallMethodResult[] = [];
      for (const request of requests) {
        const { namespace, value } = request.methodId;
        const method = namespace === 0 ? methods.get(value) : undefined;
        if (method === undefined)
          results.push(...(await others(session, [request])).map((one) => new CallMethodResult(one)));
        else results.push(await this.#call(session, method, request));
      }
      return results;
    };
  }

  async #call(
    session: ISessionContext,
    method: Method,
    { objectId, inputArguments }: CallMethodRequest,
  ): Promise<CallMethodResult> {
    const given = argumentsOf(method, inputArguments ?? []);
    if ('status' in given)
      return new CallMethodResult({
        statusCode: given.status,
        ...(given.each !== undefined && { inputArgumentResults: given.each }),
      });
    const { name } = method;
    if (name === 'refresh' || name === 'refresh item') {
      const [subscription = 0, item] = given.numbers;
      const found = (session as Session).session?.getSubscription?.(subscription) ?? null;
      return new CallMethodResult({ statusCode: this.#options.refreshes.begin(found, item) });
    }
    const condition = this.#options.conditions.find(objectId);
    if (condition === undefined) return new CallMethodResult({ statusCode: StatusCodes.BadNodeIdUnknown });
    const caller = this.#options.callerOf(session);
    const refusal = this.#refusal(caller, name, condition, given);
    const statusCode = refusal ?? (await this.#command(caller, name, condition, given));
    return new CallMethodResult({ statusCode });
  }

  /** Why a method is not carried out, as far as that is known here. */
  #refusal(
    caller: Caller | undefined,
    name: ConditionMethod,
    condition: Condition,
    { event, comment, time = 0 }: CallArguments,
  ): StatusCode | undefined {
    if (caller?.mayWrite !== true) return StatusCodes.BadUserAccessDenied;
    const { to } = condition.event;
    switch (name) {
      case 'enable':
        return StatusCodes.BadConditionAlreadyEnabled;
      case 'disable':
      case 'confirm':
        // An alarm can be taken out of service, and nothing is confirmed a second time.
        return StatusCodes.BadMethodInvalid;
      case 'acknowledge':
        if (!isEventOf(event, condition)) return StatusCodes.BadEventIdUnknown;
        if (isAcknowledged(condition)) return StatusCodes.BadConditionBranchAlreadyAcked;
        return isHidden(condition) ? StatusCodes.BadInvalidState : this.#unwritable(condition);
      case 'comment':
        if (!isEventOf(event, condition)) return StatusCodes.BadEventIdUnknown;
        return comment === undefined ? StatusCodes.BadInvalidArgument : this.#unwritable(condition);
      case 'shelve':
        if (!(time > 0)) return StatusCodes.BadShelvingTimeOutOfRange;
        return to === 'shelved' ? StatusCodes.BadConditionAlreadyShelved : this.#unwritable(condition);
      case 'shelve once':
        return to === 'shelved' ? StatusCodes.BadConditionAlreadyShelved : this.#unwritable(condition);
      case 'unshelve':
        return to === 'shelved' ? this.#unwritable(condition) : StatusCodes.BadConditionNotShelved;
      default:
        return this.#unwritable(condition);
    }
  }

  /** Commands are texts: the tag has to be one, and writable. */
  #unwritable({ driver, group, tag }: Condition): StatusCode | undefined {
    const found = this.#options.tags.find(referenceOf(driver, group, tag));
    if (found === undefined) return StatusCodes.BadNodeIdUnknown;
    return found.isWritable && found.type === DataType.String ? undefined : StatusCodes.BadNotWritable;
  }

  async #command(
    caller: Caller | undefined,
    name: ConditionMethod,
    { driver, group, tag }: Condition,
    { comment, time = 0 }: CallArguments,
  ): Promise<StatusCode> {
    const { context, failures } = this.#options;
    const words = name === 'shelve' ? `shelve ${Math.ceil(time / 1000)}` : name;
    const value = comment === undefined ? words : `${words}: ${comment}`;
    try {
      const [fault] = await context.write([{ driver, group, tag, value }], {
        signal: context.signal,
        ...writesFor(caller),
      });
      if (fault === undefined) return StatusCodes.Good;
      const status = statusOf(name, fault.code, comment);
      failures.add((others) =>
        context.log.warn(
          `The command "${words}" of ${caller?.name ?? 'a client'} to the alarm ${tag} in the group ${group} of ${driver} was answered ` +
            `with ${status.name}: ${fault.message}${others}`,
        ),
      );
      return status;
    } catch (error) {
      return isFault(error) ? statusOf(name, error.code, comment) : StatusCodes.BadShutdown;
    }
  }
}

/** The status with which a command is answered that the gateway has refused. */
function statusOf(name: ConditionMethod, code: number, comment: string | undefined): StatusCode {
  if (code === WRITE_FAILED) return StatusCodes.BadInvalidState;
  if (code === TYPE_MISMATCH) return StatusCodes.BadNotWritable;
  if (code === VALUE_OUT_OF_RANGE && name === 'shelve' && comment === undefined)
    return StatusCodes.BadShelvingTimeOutOfRange;
  return refusalOf(code);
}
