import { DataType, isFault, type Log, type Results, type Write } from '@tagway/sdk';
import { abortable, disconnected } from '@tagway/sdk/link';
import { keyOf, type StationAccess } from './activations.ts';
import { checkTag, objectOf } from './address.ts';
import { type Command, commandOf, isNormalized, normalizedCommand, selecting } from './encode.ts';
import { notConfirmed, notSelected, RefusedCommand, terminatedNegatively, type Step } from './faults.ts';
import { asduOf, Cause, CommandType } from '@tagway/iec104';

export interface CommandOptions extends StationAccess {
  readonly log: Log;
  /** Milliseconds within which a command is to be confirmed. */
  readonly t1: number;
  /** Milliseconds. */
  readonly terminationWait: number;
  readonly selects: boolean;
  readonly rtt: (ms: number) => void;
}

/** Sends the commands of a node, direct or with a selection before. */
export class Commands {
  readonly #options: CommandOptions;
  /** Objects that took a normalized set point when they had refused a short float. */
  readonly #normalized = new Set<number>();
  /** By key of an activation: the end of the latest command to that object. */
  readonly #commands = new Map<number, Promise<void>>();

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async sendWrites(writes: readonly Write[], into: Results, signal: AbortSignal): Promise<void> {
    await Promise.all(
      writes.map(async (write, index) => {
        try {
          await this.#write(write, signal);
          into.done(index);
        } catch (error) {
          if (!isFault(error)) throw error;
          into.fault(index, error);
        }
      }),
    );
  }

  async #write({ point, value }: Write, signal: AbortSignal): Promise<void> {
    const wrong = checkTag(point);
    if (wrong !== undefined) throw wrong;
    const object = objectOf(point.address)!;
    const command = commandOf(point.type, value);
    if (isFault(command)) throw command;
    const number = Number(value);
    const mayBeNormalized = point.type === DataType.FLOAT && isNormalized(number);
    const isKnown = mayBeNormalized && this.#normalized.has(object);
    try {
      await this.#operate(object, isKnown ? normalizedCommand(number) : command, signal);
    } catch (error) {
      // The object may take the other set point for fractions: a tag does not say which one it has.
      const isOther = error instanceof RefusedCommand && error.isUnknown;
      if (!mayBeNormalized || isKnown || !isOther) throw error;
      await this.#operate(object, normalizedCommand(number), signal);
      this.#normalized.add(object);
    }
  }

  /** Commands of one type to one object are sent one after the other: their answers look alike. */
  async #operate(object: number, command: Command, signal: AbortSignal): Promise<void> {
    const key = keyOf(command.type, object);
    const before = this.#commands.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#commands.set(key, promise);
    try {
      if (before !== undefined) await before;
      signal.throwIfAborted();
      const selects = this.#options.selects && command.selectAt >= 0;
      if (selects) await this.#activate(object, selecting(command), 'selection', signal);
      await this.#activate(object, command, selects ? 'execution' : 'command', signal);
    } finally {
      if (this.#commands.get(key) === promise) this.#commands.delete(key);
      resolve();
    }
  }

  /** Resolves when the station has confirmed and, of a command, has not ended it as failed within the wait for that. */
  async #activate(object: number, command: Command, step: Step, signal: AbortSignal): Promise<void> {
    const { activations, ca, clock, rtt, send, t1, terminationWait } = this.#options;
    const isSelection = step === 'selection';
    const wait = isSelection ? 0 : terminationWait;
    const { type, element } = command;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sentAt = clock.monotonic();
    let isConfirmed = false;
    let timer: Disposable | undefined = clock.timer(t1, () =>
      reject(isSelection ? notSelected : notConfirmed),
    );
    activations.add(type, object, {
      element,
      confirmed: (cause) => {
        rtt(clock.monotonic() - sentAt);
        isConfirmed = true;
        timer?.[Symbol.dispose]();
        if (cause !== undefined) reject(new RefusedCommand(cause, step));
        else if (wait === 0) resolve();
        else timer = clock.timer(wait, resolve);
      },
      terminated: (isNegative) => {
        isConfirmed = true;
        if (isNegative) reject(terminatedNegatively);
        else resolve();
      },
      failed: reject,
    });
    try {
      if (!send(asduOf(type, ca, object, element))) throw disconnected;
      await abortable(promise, signal);
    } finally {
      timer[Symbol.dispose]();
      activations.remove(type, object, !isConfirmed);
    }
  }

  /** An answer came that belongs to no command any more. */
  late(type: number, object: number, cause: number, isNegative: boolean): void {
    const isEnd = cause === Cause.ACTIVATION_TERMINATION && isNegative;
    if (!isEnd || type < CommandType.SINGLE || type > CommandType.BIT_STRING) return;
    this.#options.log.warn(
      `The station ended a command to object ${object} as failed after it had confirmed it; with a longer termination_wait the write gets the fault.`,
    );
  }
}
