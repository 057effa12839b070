import type { SentenceRecord } from '@tagway/schemas';
import { Fault, type FaultOptions } from '@tagway/sdk';

/** A name or a number, which is the same in every language, or a sentence within the sentence. */
export type SentenceValue = string | number | Sentence;

/** A fixed English text with places for values, so that clients can say the same in another language. As a string it is the English sentence. */
export class Sentence {
  /** Such as `There is no node "{0}".` */
  readonly text: string;
  readonly values: readonly SentenceValue[];

  constructor(text: string, values: readonly SentenceValue[]) {
    this.text = text;
    this.values = values;
  }

  toString(): string {
    return this.text.replaceAll(/\{(\d+)\}/g, (_place, index: string) => String(this.values[Number(index)]));
  }
}

/** Makes a sentence of a template: what stands between its values is the text. */
export function sentence(parts: TemplateStringsArray, ...values: readonly SentenceValue[]): Sentence {
  return new Sentence(
    parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`),
    values,
  );
}

/** A sentence as it travels to clients and between processes. */
export function recordOf({ text, values }: Sentence): SentenceRecord {
  return { text, values: values.map((value) => (value instanceof Sentence ? recordOf(value) : value)) };
}

export function sentenceOfRecord({ text, values }: SentenceRecord): Sentence {
  return new Sentence(
    text,
    values.map((value) => (typeof value === 'object' ? sentenceOfRecord(value) : value)),
  );
}

/** A message of a row within a reply, and what it is made of, for clients that say it in another language. */
export function saidBy(reason: Sentence | string): {
  readonly message: string;
  readonly sentence?: SentenceRecord;
} {
  return { message: String(reason), ...(typeof reason !== 'string' && { sentence: recordOf(reason) }) };
}

/** A fault whose message is a sentence of the gateway's own. */
export class Refusal extends Fault {
  readonly sentence: Sentence;

  constructor(code: number, reason: Sentence, options?: FaultOptions) {
    super(code, String(reason), options);
    this.sentence = reason;
  }
}

/** What a fault says; that of a plugin says it in a text. */
export function reasonOf(fault: Fault): Sentence | string {
  return fault instanceof Refusal ? fault.sentence : fault.message;
}
