/**
 * Names a tag of any driver. Its text is `node/group/tag`: three names with a slash between them, in which `%`, `/`, quotes, backslashes and
 * control characters of a name are percent-encoded (RFC 3986), so that the text stands as it is in a literal of any language.
 */
export interface Reference {
  readonly node: string;
  readonly group: string;
  readonly tag: string;
}

/** A reference in an address: `tag("node/group/tag")`, in double or single quotes. */
export interface FoundReference {
  /** Undefined where the text is no reference. */
  readonly reference: Reference | undefined;
  /** What stands between the quotes, and where. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What a name may hold and the text of a reference may not. */
const reserved = /[\p{Cc}%/"'`\\]/gu;

/** The call of `tag` with one literal. A name before it, or a dot, makes it something else. */
const call = /(?<![\w.$])tag\s*\(\s*(?:"([^"\\\r\n]*)"|'([^'\\\r\n]*)')\s*\)/g;

/** An address that shows the alarm of another tag of the same group. */
const shown = /^(\s*alarm\s*\(\s*)(?:"([^"\\\r\n]*)"|'([^'\\\r\n]*)')(\s*\)\s*)$/;

/** The text of a reference: the only one that stands for it, whatever was written. */
export function formatReference({ node, group, tag }: Reference): string {
  return `${encode(node)}/${encode(group)}/${encode(tag)}`;
}

/** The reference that a text stands for, undefined when it is none: three names that are not empty, with percent-encoded UTF-8 at will. */
export function parseReference(text: string): Reference | undefined {
  const parts = text.split('/');
  if (parts.length !== 3) return undefined;
  const [node, group, tag] = parts.map(decode);
  return node && group && tag ? { node, group, tag } : undefined;
}

/** The references in an address, in their order there. */
export function referencesIn(address: string): FoundReference[] {
  // Most addresses of most drivers have none.
  if (!address.includes('tag')) return [];
  return Array.from(address.matchAll(call), (match) => {
    const text = match[1] ?? match[2] ?? '';
    const start = match.index + match[0].search(/["']/) + 1;
    return { reference: parseReference(text), text, start, end: start + text.length };
  });
}

/** What points read: their references in the order of their first appearance, each once. Input `i` of a driver is reference `i`. */
export function inputsOf(points: readonly { readonly address: string }[]): Reference[] {
  const inputs = new Map<string, Reference>();
  for (const { address } of points)
    for (const { reference } of referencesIn(address))
      if (reference !== undefined) inputs.set(formatReference(reference), reference);
  return [...inputs.values()];
}

/** An address in which other references stand for those that `change` gives one for; everything else stays as it is. */
export function withReferences(
  address: string,
  change: (reference: Reference) => Reference | undefined,
): string {
  let changed = '';
  let rest = 0;
  for (const { reference, start, end } of referencesIn(address)) {
    const other = reference && change(reference);
    if (other === undefined) continue;
    changed += address.slice(rest, start) + formatReference(other);
    rest = end;
  }
  return changed + address.slice(rest);
}

/** The name of the tag whose alarm an address shows: all of it is `alarm("TAG")`, with the name encoded as in a reference. */
export function shownAlarm(address: string): string | undefined {
  const [, , double, single] = shown.exec(address) ?? [];
  const name = double ?? single;
  return name === undefined || name.includes('/') ? undefined : decode(name) || undefined;
}

/** An address that shows the alarm of the tag of this name instead. */
export function withShownAlarm(address: string, name: string): string {
  return address.replace(shown, (_, before: string, _double, _single, after: string) => {
    return `${before}"${encode(name)}"${after}`;
  });
}

function encode(name: string): string {
  return name.replace(reserved, (character) => (character === "'" ? '%27' : encodeURIComponent(character)));
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
