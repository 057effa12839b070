/** JSON with exact integers: one beyond 2^53 − 1 in either direction is a bigint, when parsed and when written. */

interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
// The library types of TypeScript do not know the source text of numbers yet.
const exact = JSON as unknown as ExactJson;

export function parseExact(text: string): unknown {
  return exact.parse(text, (_key, value, { source }) => {
    const wide =
      typeof value === 'number' &&
      !Number.isSafeInteger(value) &&
      source !== undefined &&
      /^-?\d+$/.test(source);
    return wide ? BigInt(source) : value;
  });
}

export function writeExact(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? exact.rawJSON(String(member)) : member,
  );
}
