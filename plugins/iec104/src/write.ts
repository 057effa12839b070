import { DataType, type Fault, isFault, type Log, type Results, type Write } from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import { keyOf, type StationAccess } from './activations.ts';
import { checkTag, objectOf } from './address.ts';
import { type Command, commandOf, isNormalized, normalizedCommand, selecting } from './encode.ts';
import { notConfirmed, refusal, terminatedNegatively } from './faults.ts';
import { asduOf, Cause, CommandType } from './protocol.ts';

export interface CommandOptions extends StationAccess {
  readonly log: Log;
  /** Milliseconds within which a command is to be confirmed. */
  readonly t1: number;
  /** Milliseconds. */
  readonly terminationWait: number;
  readonly selects: boolean;
  readonly rtt: (ms: number) => void;
}

/** Commands of a node: direct, or selected before. */
export class Commands {
  readonly #options: CommandOptions;
  /** Objects that took a normalized set point when they had refused a short float. */
  readonly #normalized = new Set<number>();
  /** By key of an activation: the end of the command that is under way there. */
  readonly #turns = new Map<number, Promise<void>>();

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async writeAll(writes: readonly Write[], into: Results, signal: AbortSignal): Promise<void> {
    await Promise.all(
      writes.map(async (write, index) => {
        const fault = await this.#write(write, signal).catch((error: unknown) => {
          if (isFault(error)) return error;
          throw error;
        });
        if (fault === undefined) into.done(index);
        else into.fault(index, fault);
      }),
    );
  }

  async #write({ point, value }: Write, signal: AbortSignal): Promise<Fault | undefined> {
    const wrong = checkTag(point);
    const object = objectOf(point.address);
    if (wrong !== undefined || object === undefined) return wrong;
    const command = commandOf(point.type, value);
    if (isFault(command)) return command;
    const number = Number(value);
    if (point.type !== DataType.FLOAT || !isNormalized(number)) {
      await this.#operate(object, command, signal);
      return undefined;
    }
    if (this.#normalized.has(object)) {
      await this.#operate(object, normalizedCommand(number), signal);
      return undefined;
    }
    try {
      await this.#operate(object, command, signal);
    } catch (error) {
      // The object may take the other set point for fractions: a tag does not tell which one it has.
      const isOther = error === refusal(Cause.UNKNOWN_TYPE) || error === refusal(Cause.UNKNOWN_OBJECT);
      if (!isOther) throw error;
      await this.#operate(object, normalizedCommand(number), signal);
      this.#normalized.add(object);
    }
    return undefined;
  }

  /** Commands of one type to one object go one after the other: their answers look alike. */
  async #operate(object: number, command: Command, signal: AbortSignal): Promise<void> {
    const key = keyOf(command.type, object);
    const before = this.#turns.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns.set(key, promise);
    try {
      if (before !== undefined) await before;
      signal.throwIfAborted();
      if (this.#options.selects && command.selectAt >= 0)
        await this.#activate(object, selecting(command), 0, signal);
      await this.#activate(object, command, this.#options.terminationWait, signal);
    } finally {
      if (this.#turns.get(key) === promise) this.#turns.delete(key);
      resolve();
    }
  }

  /** Resolves when the station has confirmed and has not said otherwise within `wait` milliseconds. */
  async #activate(object: number, command: Command, wait: number, signal: AbortSignal): Promise<void> {
    const { activations, ca, clock, rtt, send, t1 } = this.#options;
    const { type, element } = command;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sentAt = clock.monotonic();
    let isConfirmed = false;
    let timer: Disposable | undefined = clock.timer(t1, () => reject(notConfirmed));
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    activations.add(type, object, {
      element,
      confirmed: (cause) => {
        rtt(clock.monotonic() - sentAt);
        isConfirmed = true;
        timer?.[Symbol.dispose]();
        if (cause !== undefined) reject(refusal(cause));
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
      await promise;
    } finally {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', abort);
      activations.remove(type, object, !isConfirmed);
    }
  }

  /** An answer came that nobody waits for any more. */
  late(type: number, object: number, cause: number, isNegative: boolean): void {
    const isEnd = cause === Cause.ACTIVATION_TERMINATION && isNegative;
    if (!isEnd || type < CommandType.SINGLE || type > CommandType.BIT_STRING) return;
    this.#options.log.warn(
      `The station ended a command to object ${object} as failed after it had confirmed it; with a longer termination_wait the writer is told.`,
    );
  }
}
