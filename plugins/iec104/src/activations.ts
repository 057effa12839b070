import type { Clock, Fault } from '@tagway/sdk';
import { Cause } from '@tagway/iec104';

/** A command that the station was sent, and what becomes of it. */
export interface Activation {
  /** Octets of the information element that was sent, which the station mirrors. */
  readonly element: Buffer;
  /** It was confirmed; `refusal` is the cause of transmission of a negative answer, otherwise undefined. */
  confirmed(refusal: number | undefined): void;
  /** It has ended. `isNegative`: it has failed. */
  terminated(isNegative: boolean): void;
  /** The link is gone. */
  failed(fault: Fault): void;
}

/** How commands reach a station. */
export interface StationAccess {
  readonly clock: Clock;
  readonly activations: Activations;
  /** Common address. */
  readonly ca: number;
  /** False: the link is down. */
  readonly send: (asdu: Buffer) => boolean;
}

export type LateAnswer = (type: number, object: number, cause: number, isNegative: boolean) => void;

export const keyOf = (type: number, object: number): number => type * 0x100_0000 + object;

/** Finds what an answer of the station belongs to: the ASDU of a command comes back with another cause. */
export class Activations {
  readonly #pending = new Map<number, Activation>();
  /** Keys of commands that were given up while their confirmation might still come: the next answer may be that of the earlier one. */
  readonly #overdue = new Set<number>();
  readonly #late: LateAnswer;

  /** `late` is called for every answer that belongs to no command any more. */
  constructor(late: LateAnswer) {
    this.#late = late;
  }

  add(type: number, object: number, activation: Activation): void {
    this.#pending.set(keyOf(type, object), activation);
  }

  /** The command has ended or was given up. `isOverdue`: its confirmation has not come. */
  remove(type: number, object: number, isOverdue: boolean): void {
    const key = keyOf(type, object);
    this.#pending.delete(key);
    if (isOverdue) this.#overdue.add(key);
  }

  /** Takes the answer of a type and object whose element is `data[at, end)`. */
  answer(
    type: number,
    object: number,
    cause: number,
    isNegative: boolean,
    data: Buffer,
    at: number,
    end: number,
  ): void {
    const key = keyOf(type, object);
    const activation = this.#pending.get(key);
    const isOther =
      this.#overdue.has(key) && activation !== undefined && activation.element.compare(data, at, end) !== 0;
    if (activation === undefined || isOther) return this.#late(type, object, cause, isNegative);
    this.#overdue.delete(key);
    if (cause >= Cause.UNKNOWN_TYPE && cause <= Cause.UNKNOWN_OBJECT) activation.confirmed(cause);
    else if (cause === Cause.ACTIVATION_CONFIRMATION) activation.confirmed(isNegative ? cause : undefined);
    else if (cause === Cause.ACTIVATION_TERMINATION) activation.terminated(isNegative);
  }

  /** The link is gone. */
  failAll(fault: Fault): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    this.#overdue.clear();
    for (const activation of all) activation.failed(fault);
  }
}
