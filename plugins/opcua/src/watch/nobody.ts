import type { Values } from '@tagway/sdk';

const nothing = (): void => undefined;

/** Takes values that nobody wants: of a read that only finds out what can be read. */
export const nobody: Values = {
  number: nothing,
  integer: nothing,
  text: nothing,
  bytes: nothing,
  fault: nothing,
  stamp: nothing,
};
