import { Fault } from '@tagway/sdk';

/** Throws a fault where an expression is wanted, as after `??`. */
export function refuse(code: number, message: string): never {
  throw new Fault(code, message);
}
