import type { SentenceRecord } from '@tagway/schemas';
import { recordOf, type Sentence } from '../core/system/sentence.ts';
import { isObject } from '../core/system/shapes.ts';
import type { Context } from './request.ts';

/** Why something was refused, as replies say it. */
export interface Reason {
  readonly message: string;
  readonly sentence?: SentenceRecord;
}

/** The English sentence and, for a client whose first language is another one, what it is made of. */
export function reasonFor(ctx: Context, reason: Sentence | string): Reason {
  const message = String(reason);
  if (typeof reason === 'string' || readsEnglish(ctx)) return { message };
  return { message, sentence: recordOf(reason) };
}

/** A reply whose rows have sentences, without them for a client that reads English. */
export function forReader<T>(ctx: Context, reply: T): T {
  return readsEnglish(ctx) ? (withoutSentences(reply) as T) : reply;
}

function withoutSentences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSentences);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'sentence');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutSentences(member)]));
}

/** So do clients that say nothing about it. */
function readsEnglish(ctx: Context): boolean {
  const [first = ''] = ctx.get('Accept-Language').split(',', 1);
  return /^\s*(en\b|\*|$)/i.test(first);
}
