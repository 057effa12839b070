import { Fault } from '@tagway/sdk';
import { Refusal, type Sentence } from './sentence.ts';

/** Throws a fault where an expression is wanted, as after `??`. */
export function refuse(code: number, reason: Sentence | string): never {
  throw typeof reason === 'string' ? new Fault(code, reason) : new Refusal(code, reason);
}
