import {
  asduOf,
  Cause,
  globalAddress,
  isCommandType,
  SystemType,
  timeOf,
  timeSize,
  UnitWriter,
} from '@tagway/iec104';
import type { Clock } from '@tagway/sdk';
import type { Commands } from '../commands/commands.ts';
import type { Connection } from '../link/connection.ts';
import { isCommandCause } from '../points/command-point.ts';
import type { Address, Directory } from '../points/directory.ts';
import type { Freezer } from './freezer.ts';
import { answerTo, type Request, requestOf } from './request.ts';
import { allCounters, counterInterrogation, countersOf, interrogation, isInterrogation } from './scans.ts';

export interface RequestsOptions {
  readonly directory: Directory;
  readonly commands: Commands;
  readonly freezer: Freezer;
  readonly clock: Clock;
  readonly utcOffset: number;
  /** A unit of data was left out, because its length is not that of its type. */
  readonly malformed: () => void;
}

/** Octets of the information element of each request of the system, without those of commands. */
const elementSizes = new Map<number, number>([
  [SystemType.INTERROGATION, 1],
  [SystemType.COUNTER_INTERROGATION, 1],
  [SystemType.READ, 0],
  [SystemType.CLOCK_SYNCHRONIZATION, timeSize],
  [SystemType.RESET_PROCESS, 1],
  [SystemType.TEST, 2 + timeSize],
]);

/** Requests that the global common address may have. */
const toAll = new Set<number>([
  SystemType.INTERROGATION,
  SystemType.COUNTER_INTERROGATION,
  SystemType.CLOCK_SYNCHRONIZATION,
  SystemType.RESET_PROCESS,
]);

/** Why a command was not looked at, by the cause of the answer. */
const unknown = new Map<number, string>([
  [Cause.UNKNOWN_CAUSE, 'its cause is none of a command'],
  [Cause.UNKNOWN_COMMON_ADDRESS, 'no object has this common address'],
]);

/** Bits of the qualifier of counter interrogation: what is asked for, and whether it is frozen. */
const requestMask = 0x3f;
const Freeze = { READ: 0, FREEZE: 1, FREEZE_AND_RESET: 2, RESET: 3 } as const;

/** Answers what control centres ask for, with the causes of the standard. */
export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  take(connection: Connection, data: Buffer, at: number, end: number): void {
    const { malformed } = this.#options;
    const request = requestOf(data, at, end);
    if (request === undefined) return malformed();
    const { asdu, type } = request;
    const size = elementSizes.get(type);
    const isCommand = isCommandType(type);
    if (size === undefined && !isCommand) return this.#refuse(connection, request, Cause.UNKNOWN_TYPE);
    if (size !== undefined && asdu.length !== request.at + size) return malformed();
    if (!this.#hasCause(request)) return this.#refuse(connection, request, Cause.UNKNOWN_CAUSE);
    const addresses = this.#addressesOf(request);
    if (addresses.length === 0) return this.#refuse(connection, request, Cause.UNKNOWN_COMMON_ADDRESS);
    if (isCommand) return this.#options.commands.take(connection, request, addresses[0]!);
    if (type !== SystemType.READ && request.object !== 0)
      return this.#refuse(connection, request, Cause.UNKNOWN_OBJECT);
    for (const address of addresses) this.#answer(connection, request, address);
  }

  #answer(connection: Connection, request: Request, address: Address): void {
    const { clock, utcOffset } = this.#options;
    const { ca } = address;
    switch (request.type) {
      case SystemType.INTERROGATION:
        return this.#interrogate(connection, request, address);
      case SystemType.COUNTER_INTERROGATION:
        return this.#countersFor(connection, request, address);
      case SystemType.READ:
        return this.#read(connection, request, address);
      case SystemType.CLOCK_SYNCHRONIZATION: {
        // The time of this machine: it is not set, and the control centre sees by how much it differs.
        const answer = answerTo(request, Cause.ACTIVATION_CONFIRMATION, false, ca);
        timeOf(clock.now(), utcOffset).copy(answer, request.at);
        return connection.reply(answer);
      }
      case SystemType.TEST:
        return connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION, false, ca));
      default:
        return connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION, true, ca));
    }
  }

  #interrogate(connection: Connection, request: Request, address: Address): void {
    const isKnown = isInterrogation(request.asdu[request.at]!);
    const isActivation = request.cause === Cause.ACTIVATION;
    const isTaken =
      isKnown && isActivation && connection.scan(interrogation(request, address, this.#options.utcOffset));
    if (!isTaken) this.#decline(connection, request, address.ca);
  }

  #countersFor(connection: Connection, request: Request, address: Address): void {
    const { freezer, utcOffset } = this.#options;
    const qualifier = request.asdu[request.at]!;
    const group = qualifier & requestMask;
    const freeze = qualifier >> 6;
    if (group < 1 || group > allCounters || request.cause !== Cause.ACTIVATION)
      return this.#decline(connection, request, address.ca);
    const counters = countersOf(address, group);
    if (freeze === Freeze.READ) {
      if (!connection.scan(counterInterrogation(request, address.ca, counters, utcOffset)))
        this.#decline(connection, request, address.ca);
      return;
    }
    const confirm = (isDone: boolean): void => {
      if (!isDone) return this.#decline(connection, request, address.ca);
      connection.scan(counterInterrogation(request, address.ca, [], utcOffset));
      connection.pump();
    };
    if (request.isTest) return confirm(true);
    void freezer
      .freeze(counters, {
        freezes: freeze !== Freeze.RESET,
        resets: freeze !== Freeze.FREEZE,
      })
      .then(confirm);
  }

  #read(connection: Connection, request: Request, { points }: Address): void {
    const point = points.get(request.object);
    if (point === undefined) return this.#refuse(connection, request, Cause.UNKNOWN_OBJECT);
    const writer = new UnitWriter(this.#options.utcOffset, (asdu) => {
      asdu[3] = request.asdu[3]!;
      connection.reply(asdu);
    });
    point.writeRequested(writer);
    writer.flush();
  }

  #hasCause({ type, cause }: Request): boolean {
    if (type === SystemType.READ) return cause === Cause.REQUESTED;
    const mayEnd = type === SystemType.INTERROGATION || type === SystemType.COUNTER_INTERROGATION;
    return cause === Cause.ACTIVATION || ((mayEnd || isCommandType(type)) && isCommandCause(cause));
  }

  /** The addresses that a request means: all for the global one. */
  #addressesOf({ ca, type }: Request): readonly Address[] {
    const { directory } = this.#options;
    if (ca === globalAddress) return toAll.has(type) ? [...directory.addresses()] : [];
    const address = directory.address(ca);
    return address === undefined ? [] : [address];
  }

  /** What is asked for is known, and not done. */
  #decline(connection: Connection, request: Request, ca: number): void {
    const isEnd = request.cause === Cause.DEACTIVATION;
    const cause = isEnd ? Cause.DEACTIVATION_CONFIRMATION : Cause.ACTIVATION_CONFIRMATION;
    connection.reply(answerTo(request, cause, true, ca));
    connection.pump();
  }

  #refuse(connection: Connection, request: Request, cause: number): void {
    const reason = isCommandType(request.type) ? unknown.get(cause) : undefined;
    if (reason !== undefined) this.#options.commands.refused(connection, request, reason);
    connection.reply(answerTo(request, cause, true));
  }
}

/** Says that the station of this address has started: after a local switch of its power. */
export function endOfInitialization(ca: number): Buffer {
  return asduOf(SystemType.END_OF_INITIALIZATION, ca, 0, Buffer.from([0]), Cause.INITIALIZED);
}
