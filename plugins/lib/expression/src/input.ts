import { ErrorCode, Fault } from '@tagway/sdk';
import type { Kind, Operand } from './kinds.ts';

const notThere = new Fault(ErrorCode.NOT_READY, 'The input has no value yet.');

/** A tag that expressions read, and the latest of it. Who has the samples sets it; many expressions may share one. */
export class Input {
  /** As it is written in the expression. */
  readonly reference: string;
  /** `unknown` while nothing is known of the tag; expressions over it are then compiled again. */
  kind: Kind = 'unknown';
  value: Operand = 0;
  /** Why there is no value. */
  fault: Fault | undefined = notThere;
  /** When the value arose, in milliseconds since the epoch. */
  time = NaN;
  /** Flags of `Quality`. */
  quality = 0;
  /** How many samples there were: functions with a state take each one once. */
  samples = 0;

  constructor(reference: string) {
    this.reference = reference;
  }
}
