import type { FunctionRule } from '../compile/compiler.ts';
import { conversions } from './conversions.ts';
import { inputFunctions } from './inputs.ts';
import { lineFunctions, mathematics } from './mathematics.ts';
import { stateFunctions } from './states.ts';
import { textFunctions, textMethods } from './texts.ts';

const table = (...parts: Readonly<Record<string, FunctionRule>>[]): ReadonlyMap<string, FunctionRule> =>
  new Map(parts.flatMap((part) => Object.entries(part)));

/** Functions by their name. */
export const functions = table(inputFunctions, stateFunctions, lineFunctions, conversions, textFunctions);

/** Functions that are written after `math.`. */
export const mathFunctions = table(mathematics);

/** Functions that are written after what they are about and a dot. */
export const methods = table(textMethods);

/** How every function is written, for those who complete what somebody types. */
export const usages: readonly string[] = [functions, mathFunctions, methods].flatMap((rules) =>
  Array.from(rules.values(), ({ usage }) => usage),
);
