import type { SentenceRecord } from '@tagway/schemas';

/** The gateway's sentences in another language: its own by their English texts, and those that come as texts. */
export interface Translation {
  readonly refusals: Readonly<Record<string, string>>;
  readonly sentences: (text: string) => string;
}

/** Of the language of the page; none while it is English. */
let translation: Translation | undefined;

export function translateRefusals(to: Translation | undefined): void {
  translation = to;
}

/** A reply whose refusals are in the language of the page, as far as it knows their sentences. Others stay as the gateway has sent them. */
export function inLanguage<T extends object>(reply: T): T {
  return translation === undefined ? reply : (translated(reply, translation) as T);
}

/** A text of a driver or an app in the language of the page, as far as it knows its sentences. */
export function textInLanguage(text: string): string {
  return translation === undefined ? text : translation.sentences(text);
}

function translated(value: unknown, to: Translation): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, to));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, translated(member, to)]);
  const own = Object.fromEntries(members) as {
    readonly sentence?: unknown;
    readonly message?: unknown;
    readonly reason?: unknown;
  };
  // Rows that say why something does not fit call it a reason.
  const said = typeof own.reason === 'string' ? 'reason' : 'message';
  if (isSentence(own.sentence)) return { ...own, [said]: textOf(own.sentence, to) };
  return typeof own.message === 'string' ? { ...own, message: to.sentences(own.message) } : own;
}

function textOf({ text, values }: SentenceRecord, to: Translation): string {
  return (to.refusals[text] ?? text).replaceAll(/\{(\d+)\}/g, (_place, index: string) => {
    const value = values[Number(index)] ?? '';
    if (typeof value === 'object') return textOf(value, to);
    return typeof value === 'string' ? to.sentences(value) : String(value);
  });
}

/** A value of another meaning may have the same name, such as a setting of a plugin. */
function isSentence(thing: unknown): thing is SentenceRecord {
  const { text, values } = (thing ?? {}) as Partial<SentenceRecord>;
  return typeof text === 'string' && Array.isArray(values);
}
