import type { SentenceRecord } from '@tagway/schemas';

type Texts = Readonly<Record<string, string>>;

/** The gateway's sentences in the language of the page by their English texts; none while it is English. */
let texts: Texts | undefined;

export function translateRefusals(to: Texts | undefined): void {
  texts = to;
}

/** A reply whose refusals are in the language of the page, as far as it knows their sentences. Others stay as the gateway has sent them. */
export function inLanguage(reply: object): object {
  return texts === undefined ? reply : (translated(reply, texts) as object);
}

function translated(value: unknown, known: Texts): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, known));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, translated(member, known)]);
  const own = Object.fromEntries(members) as { readonly sentence?: unknown };
  return isSentence(own.sentence) ? { ...own, message: textOf(own.sentence, known) } : own;
}

function textOf({ text, values }: SentenceRecord, known: Texts): string {
  return (known[text] ?? text).replaceAll(/\{(\d+)\}/g, (_place, index: string) => {
    const value = values[Number(index)] ?? '';
    return typeof value === 'object' ? textOf(value, known) : String(value);
  });
}

/** A value of another meaning may have the same name, such as a setting of a plugin. */
function isSentence(thing: unknown): thing is SentenceRecord {
  const { text, values } = (thing ?? {}) as Partial<SentenceRecord>;
  return typeof text === 'string' && Array.isArray(values);
}
