import { errorMeaning, type Layout, type Sample } from '@tagway/sdk';
import { type ValueWriter, valueWriterOf } from '@tagway/sdk/json';
import { ByteWriter } from '../byte-writer.ts';
import { DueRows } from '../due-rows.ts';
import { isOfTag, parseTemplate, type Part } from './parse.ts';
import { nameOf } from './place.ts';
import { placeholders } from './names.ts';

/** What is written for one part: bytes that are always the same, bytes of the column, or what comes with the sample. */
type Step =
  | { readonly kind: 'same'; readonly bytes: Buffer }
  | { readonly kind: 'column'; readonly bytes: readonly Buffer[] }
  | { readonly kind: 'sample'; readonly name: string; readonly format: string };

/** All bodies are written here first, because they are made one after the other. */
const out = new ByteWriter();

/** A template of what is sent: of a sample as a whole, or of each tag in it. */
export class BodyTemplate {
  readonly parts: readonly Part[];
  /** Each value makes a body of its own: the template is about one tag and has no `{tags}`. */
  readonly isPerTag: boolean;
  /** Values with a fault are in it: it has a place for what is wrong with them. */
  readonly hasFaults: boolean;

  private constructor(parts: readonly Part[]) {
    this.parts = parts;
    this.isPerTag = parts.some((part) => isOfTag(part));
    const all = parts.flatMap((part) => (part.kind === 'tags' ? part.parts : [part]));
    this.hasFaults = all.some(
      (part) => part.kind === 'name' && (part.name === 'error' || part.name === 'reason'),
    );
  }

  /** Why a text is no template of a body, or undefined. The sentence completes "… is not a template:". */
  static problem(text: string): string | undefined {
    const parsed = parseTemplate(text, 'body');
    if ('problem' in parsed) return parsed.problem;
    return parsed.parts.some((part) => part.kind === 'tags' || isOfTag(part))
      ? undefined
      : 'nothing of a tag is in it; write {value}, or {tags} and {/tags} around what is repeated for each.';
  }

  /** The template of a text that has no problem. */
  static of(text: string): BodyTemplate {
    const parsed = parseTemplate(text, 'body');
    if ('problem' in parsed) throw new Error(parsed.problem);
    return new BodyTemplate(parsed.parts);
  }

  /** Prepares the template for the samples of one layout. */
  bind(app: string, layout: Layout): BoundBody {
    return new BoundBody(this, app, layout);
  }
}

/** A template for the samples of one layout. */
export class BoundBody {
  readonly #template: BodyTemplate;
  readonly #values: ValueWriter;
  readonly #rows: DueRows;
  readonly #steps: readonly (
    Step | { readonly kind: 'tags'; readonly separator: Buffer; readonly steps: readonly Step[] }
  )[];

  constructor(template: BodyTemplate, app: string, layout: Layout) {
    this.#template = template;
    this.#values = valueWriterOf(layout);
    this.#rows = new DueRows(layout);
    this.#steps = template.parts.map((part) =>
      part.kind === 'tags'
        ? {
            kind: 'tags',
            separator: Buffer.from(part.separator),
            steps: part.parts.map((inner) => stepOf(inner, app, layout)),
          }
        : stepOf(part, app, layout),
    );
  }

  /** Calls back with the body of the sample, or with the bodies of its tags in their order; not at all when nothing is due. */
  each(sample: Sample, take: (body: Buffer, column: number) => void): void {
    const rows = this.#rows;
    rows.start(sample);
    if (this.#template.isPerTag) {
      while (rows.next()) {
        if (rows.fault !== 0 && !this.#template.hasFaults) continue;
        out.clear();
        for (const step of this.#steps) this.#write(step as Step, sample, rows.time);
        take(out.copy(), rows.column);
      }
      return;
    }
    out.clear();
    let count = 0;
    for (const step of this.#steps) {
      if (step.kind !== 'tags') {
        this.#write(step, sample, Math.trunc(sample.timestamp));
        continue;
      }
      rows.start(sample);
      for (let isFirst = true; rows.next();) {
        if (rows.fault !== 0 && !this.#template.hasFaults) continue;
        if (!isFirst) out.bytes(step.separator);
        isFirst = false;
        count++;
        for (const inner of step.steps) this.#write(inner, sample, rows.time);
      }
    }
    if (count > 0) take(out.copy(), -1);
  }

  #write(step: Step, sample: Sample, time: number): void {
    const rows = this.#rows;
    if (step.kind === 'same') return out.bytes(step.bytes);
    if (step.kind === 'column') return out.bytes(step.bytes[rows.column]!);
    switch (step.name) {
      case 'value':
        return this.#value(step.format, sample);
      case 'time':
        return writeTime(step.format, time);
      case 'quality':
        return out.natural(sample.qualities?.[rows.row] ?? 0);
      case 'error':
        return out.natural(rows.fault);
      default:
        return out.text(rows.fault === 0 ? '' : escaped(rows.reasonOf(sample) || errorMeaning(rows.fault)));
    }
  }

  #value(format: string, sample: Sample): void {
    const { fault, row } = this.#rows;
    if (fault !== 0) return out.ascii(format === 'text' ? '' : 'null');
    out.reserve(this.#values.room(sample, row));
    const from = out.length;
    out.length = this.#values.write(sample, row, out.buffer, from);
    // A text without its quotes.
    if (format === 'text' && out.buffer[from] === 0x22) {
      out.buffer.copyWithin(from, from + 1, out.length - 1);
      out.length -= 2;
    }
  }
}

function stepOf(part: Part, app: string, layout: Layout): Step {
  if (part.kind === 'text') return { kind: 'same', bytes: Buffer.from(part.text) };
  if (part.kind === 'tags') throw new Error('Sections are not nested.');
  const { name, format } = part;
  const of = placeholders.get(name)?.of;
  if (of === 'group')
    return { kind: 'same', bytes: Buffer.from(escaped(nameOf(name, app, layout, undefined))) };
  if (of === 'tag')
    return {
      kind: 'column',
      bytes: layout.columns.map((column) => Buffer.from(escaped(nameOf(name, app, layout, column)))),
    };
  return { kind: 'sample', name, format };
}

/** A name as it stands within the quotes of a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function writeTime(format: string, time: number): void {
  if (format === 's') return out.natural(Math.floor(time / 1000));
  if (format === 'iso') return out.ascii(new Date(time).toISOString());
  out.natural(time);
  if (format === 'us') out.ascii('000');
  else if (format === 'ns') out.ascii('000000');
}
