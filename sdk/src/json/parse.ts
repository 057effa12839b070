/** Where a run of digits may be too long for a double. */
const longDigits = /[0-9]{16}/;

/** Integers of a 64-bit type; longer ones stay numbers, so that no input makes a huge bigint. */
const wideInteger = /^-?[0-9]{16,20}$/;

type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

type Raw = { rawJSON(text: string): unknown };

function revive(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && wideInteger.test(context.source) ? BigInt(context.source) : value;
}

/**
 * `JSON.parse` that yields a bigint for an integer that a number cannot hold exactly.
 * Throws SyntaxError, also for nesting that is too deep.
 */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text);
  try {
    return (JSON.parse as ParseWithSource)(text, revive);
  } catch (error) {
    if (error instanceof RangeError)
      throw new SyntaxError('The JSON text is nested too deeply.', { cause: error });
    throw error;
  }
}

/** `JSON.stringify` that prints a bigint as digits. `value` is neither undefined nor a function. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'bigint' ? (JSON as unknown as Raw).rawJSON(item.toString()) : item,
    );
  }
}
