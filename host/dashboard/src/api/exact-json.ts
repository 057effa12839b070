/** An integer of 16 to 20 digits, which a number may not hold exactly. */
const wideInteger = /^-?[0-9]{16,20}$/;

/** `source` is the text of the number. Browsers before 2025 do not pass it and round long integers. */
function revive(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return wideInteger.test(source) ? BigInt(source) : value;
}

/** `JSON.parse` that yields a bigint for an integer that a number cannot hold exactly. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, /[0-9]{16}/.test(text) ? revive : undefined);
}

/** `JSON.stringify` that prints the digits of a bigint. A browser without `rawJSON` prints them as a string, which the gateway refuses. */
export function stringifyExact(value: unknown): string {
  try {
    // Ten times as fast as with a replacer; twenty thousand tags need it.
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'bigint') return item;
    const digits = item.toString();
    return rawJSON?.(digits) ?? digits;
  });
}
