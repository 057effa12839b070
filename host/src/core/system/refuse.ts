import { Refusal, type Sentence } from './sentence.ts';

/** Throws a fault where an expression is wanted, as after `??`. */
export function refuse(code: number, reason: Sentence): never {
  throw new Refusal(code, reason);
}
