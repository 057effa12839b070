import { Cause, commandAt, type Command, isTimeInvalid, readTime } from '@tagway/iec104';
import { type AppContext, ErrorCode, Fault, isFault } from '@tagway/sdk';
import { LimitedLog } from '@tagway/store/log';
import type { Connection } from '../link/connection.ts';
import type { CommandPoint } from '../points/command-point.ts';
import { restValue, writtenValue } from '../points/command-point.ts';
import type { Address, Directory } from '../points/directory.ts';
import { answerTo, type Request } from '../requests/request.ts';
import type { Permission } from './permission.ts';
import type { Pulses } from './pulses.ts';

export interface CommandsOptions {
  readonly context: Pick<AppContext, 'clock' | 'count' | 'log' | 'refused' | 'signal' | 'write'>;
  readonly pulses: Pulses;
  readonly directory: Directory;
  readonly permission: Permission;
  readonly utcOffset: number;
  /** Milliseconds. */
  readonly selectTimeout: number;
  readonly shortPulse: number;
  readonly longPulse: number;
  /** Milliseconds; 0: of any age. */
  readonly mostAge: number;
  /** A unit of data was left out, because its length is not that of its type. */
  readonly malformed: () => void;
}

/** A command that passed the checks, and where it came from. */
interface Accepted {
  readonly connection: Connection;
  readonly request: Request;
  readonly command: Command;
  readonly point: CommandPoint;
}

const Pulse = { NONE: 0, SHORT: 1, LONG: 2 } as const;

/** Milliseconds between two lines about refused commands. */
const linesApart = 10_000;

/** Carries out commands: selects, writes the tag, ends pulses, and answers when the device has confirmed. */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #refusals: LimitedLog;
  /** Points that are selected. */
  readonly #selected = new Set<CommandPoint>();
  /** Commands that are carried out. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#refusals = new LimitedLog(options.context.clock, linesApart);
  }

  take(connection: Connection, request: Request, { commands }: Address): void {
    const { asdu, at, object, type } = request;
    const command = commandAt(type, asdu, at, asdu.length);
    if (command === undefined) return this.#options.malformed();
    const point = commands.get(object);
    if (point?.takes(type) !== true) {
      connection.reply(answerTo(request, Cause.UNKNOWN_OBJECT, true));
      return this.refused(connection, request, 'no such object takes this type of command');
    }
    const accepted = { connection, request, command, point };
    if (request.cause === Cause.DEACTIVATION) return this.#deselect(accepted);
    const refusal = this.#refusalOf(accepted);
    if (refusal !== undefined) return this.#refuse(accepted, refusal);
    if (request.isTest) return connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION));
    if (command.isSelection) return this.#select(accepted);
    const unselected = this.#unselected(accepted);
    if (unselected !== undefined) return this.#refuse(accepted, unselected);
    const execution = this.#execute(accepted);
    this.#underWay.add(execution);
    void execution.finally(() => this.#underWay.delete(execution));
  }

  /** Resolves when the pulses are ended, which the end of the run shortens, and every command has been carried out. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** A connection is gone or stopped: its selections end. */
  ended(connection: Connection): void {
    for (const point of this.#selected) {
      if (point.selection?.by !== connection) continue;
      point.selection = undefined;
      this.#selected.delete(point);
    }
  }

  /** Why the command is neither selected nor executed: a clause. */
  #refusalOf({ connection, request, command, point }: Accepted): string | undefined {
    const { context, mostAge, permission, utcOffset } = this.#options;
    const refusal = permission.refusalOf(connection.who);
    if (refusal !== undefined) return refusal;
    if (context.signal.aborted) return 'the node stops';
    if (point.isBusy) return 'another command to this object is under way';
    if (writtenValue(point, command.value) === undefined) return 'its value is none of this type';
    if (!command.hasTime || mostAge === 0) return undefined;
    const { asdu } = request;
    const time = isTimeInvalid(asdu, command.timeAt) ? NaN : readTime(asdu, command.timeAt, utcOffset);
    if (Number.isNaN(time)) return 'its time is invalid';
    const age = context.clock.now() - time;
    return Math.abs(age) <= mostAge
      ? undefined
      : `its time differs from that of the gateway by ${Math.abs(age)} ms`;
  }

  #select({ connection, request, point }: Accepted): void {
    const { context, selectTimeout } = this.#options;
    const now = context.clock.monotonic();
    const { selection } = point;
    if (selection !== undefined && selection.by !== connection && now < selection.until)
      return this.#refuse({ connection, request, point }, 'another connection has selected the object');
    point.selection = { by: connection, until: now + selectTimeout, element: elementOf(request, point) };
    this.#selected.add(point);
    connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION));
  }

  /** Takes a selection back. */
  #deselect({ connection, request, point }: Accepted): void {
    const isSelected = point.selection?.by === connection && this.#isCurrent(point);
    if (isSelected) this.#forget(point);
    connection.reply(answerTo(request, Cause.DEACTIVATION_CONFIRMATION, !isSelected));
  }

  /** Why a command may not be executed without another selection; ends the selection. */
  #unselected({ connection, request, point }: Accepted): string | undefined {
    const { selection } = point;
    const isCurrent = this.#isCurrent(point);
    if (selection === undefined || !isCurrent) {
      this.#forget(point);
      return point.row.selects ? 'the object is not selected' : undefined;
    }
    if (selection.by !== connection) return 'another connection has selected the object';
    this.#forget(point);
    return selection.element.equals(elementOf(request, point))
      ? undefined
      : 'it differs from what was selected';
  }

  #isCurrent({ selection }: CommandPoint): boolean {
    return selection !== undefined && this.#options.context.clock.monotonic() < selection.until;
  }

  #forget(point: CommandPoint): void {
    point.selection = undefined;
    this.#selected.delete(point);
  }

  async #execute(accepted: Accepted): Promise<void> {
    const { connection, request, command, point } = accepted;
    const { context, directory } = this.#options;
    point.isBusy = true;
    try {
      const ms = this.#pulseOf(accepted);
      const rest = ms > 0 ? restValue(point, command.value) : undefined;
      const problem = await this.#begin(accepted, rest, ms);
      if (problem !== undefined) return this.#deny(accepted, problem);
      context.count('commands_total', 1);
      const now = context.clock.monotonic();
      for (const one of directory.pointsOf(point.driver, point.group, point.tag.name)) one.commanded(now);
      connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION));
      connection.pump();
      if (rest !== undefined) await this.#pulse(accepted, rest, ms);
      connection.reply(answerTo(request, Cause.ACTIVATION_TERMINATION));
      connection.pump();
    } finally {
      point.isBusy = false;
    }
  }

  /** Milliseconds of the pulse; 0: none. */
  #pulseOf({ command: { qualifier }, point }: Accepted): number {
    const { shortPulse, longPulse } = this.#options;
    const pulse = qualifier === Pulse.NONE ? point.row.pulse : qualifier;
    if (pulse === Pulse.SHORT) return shortPulse;
    return pulse === Pulse.LONG ? longPulse : 0;
  }

  /** Writes what the command says, once its pulse is kept. Undefined, or why it is not carried out: a clause. */
  async #begin(accepted: Accepted, rest: number | undefined, ms: number): Promise<string | undefined> {
    const { pulses } = this.#options;
    const { command, connection, point } = accepted;
    const off = rest === undefined ? undefined : writtenValue(point, rest);
    try {
      await pulses.begin(point, off, connection.who.address, rest === undefined ? 0 : ms);
    } catch (error) {
      if (!isFault(error)) throw error;
      return clauseOf(error.message);
    }
    const problem = await this.#write(accepted, command.value);
    if (problem !== undefined && rest !== undefined) await pulses.ended(point);
    return problem;
  }

  /** Writes the value at rest when the pulse is over, or the node stops. */
  async #pulse(accepted: Accepted, rest: number, ms: number): Promise<void> {
    const { connection, point, request } = accepted;
    const { context, pulses } = this.#options;
    // It ends early when the node stops.
    await context.clock.sleep(ms, context.signal).catch(() => undefined);
    const problem = await this.#write(accepted, rest);
    if (problem === undefined) return pulses.ended(point);
    const { driver, group, tag } = point;
    context.log.error(
      `The pulse of ${connection.peer} at the object ${request.object} of the common address ${request.ca} was not ended: ${problem}. ` +
        `The tag "${tag.name}" of the group "${group}" of "${driver}" may still be on; the next start within five minutes writes it off.`,
    );
  }

  /** Undefined once the device has confirmed, otherwise why it was not written: a clause. */
  async #write({ connection, point }: Accepted, value: number): Promise<string | undefined> {
    const { driver, group, tag } = point;
    const written = writtenValue(point, value);
    if (written === undefined) return 'its value is none of this type';
    try {
      const [fault] = await this.#options.context.write([{ driver, group, tag: tag.name, value: written }], {
        request: true,
        from: connection.who.address,
      });
      return fault && clauseOf(fault.message);
    } catch (error) {
      if (!isFault(error)) throw error;
      return clauseOf(error.message);
    }
  }

  /** Refuses a command before anything was written. */
  #refuse(refused: Pick<Accepted, 'connection' | 'request' | 'point'>, reason: string): void {
    this.#audit(refused.connection, refused.request, reason);
    this.#deny(refused, reason);
  }

  #deny({ connection, request }: Pick<Accepted, 'connection' | 'request'>, reason: string): void {
    this.#log(connection, request, reason);
    connection.reply(answerTo(request, Cause.ACTIVATION_CONFIRMATION, true));
    connection.pump();
  }

  /** A command was answered negatively before anything was written: the log and the audit have it. `reason` is a clause. */
  refused(connection: Connection, request: Request, reason: string): void {
    this.#audit(connection, request, reason);
    this.#log(connection, request, reason);
  }

  #audit({ who }: Connection, { asdu, at, object, ca, type }: Request, reason: string): void {
    const value = asdu.subarray(at).toString('hex');
    this.#options.context.refused?.({
      from: who.address,
      request: `the command ${type} to the object ${object} of the common address ${ca} (${value})`,
      fault: new Fault(ErrorCode.WRITE_FAILED, `${reason}.`),
    });
  }

  #log({ peer }: Connection, { object, ca, type }: Request, reason: string): void {
    const { context } = this.#options;
    context.count('refused_commands_total', 1);
    this.#refusals.add((others) =>
      context.log.warn(
        `The command of ${peer} to the object ${object} of the common address ${ca} (type ${type}) was refused: ${reason}.${others}`,
      ),
    );
  }
}

/** A sentence as a clause without its full stop. */
function clauseOf(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

const selectBit = 0x80;

/** The octets of a command that selection and execution have in common. */
function elementOf({ asdu, at }: Request, { base }: CommandPoint): Buffer {
  const size = base >= 50 ? 5 : base >= 48 ? 3 : 1;
  const element = Buffer.from(asdu.subarray(at, at + size));
  element[size - 1] = element[size - 1]! & ~selectBit;
  return element;
}
