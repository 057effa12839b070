/** Digits that a number may not hold exactly. */
const wideInteger = /^-?[0-9]{16,20}$/;

/** `source`, the digits as they stand in the text, is missing in browsers before 2025: they round long integers. */
function revive(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return wideInteger.test(source) ? BigInt(source) : value;
}

/** `JSON.parse` that yields a bigint for an integer that a number cannot hold exactly. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, /[0-9]{16}/.test(text) ? revive : undefined);
}

/** `JSON.stringify` that prints the digits of a bigint; a browser that cannot sends a text, which the gateway refuses. */
export function stringifyExact(value: unknown): string {
  try {
    // Ten times as fast, which twenty thousand tags need.
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
