import { alarmPriorities } from '@tagway/sdk';
import { parseTemplate, type Part, type Placeholders } from '@tagway/store/template';
import type { ZoneClock } from './hours.ts';
import type { Item } from './item.ts';
import { plain } from './plain.ts';
import { type Language, words } from './words.ts';

/** The placeholders of messages: of a message as a whole, and of each alarm in it, between {tags} and {/tags}. */
const placeholders: Placeholders = new Map([
  ['app', { of: 'group', formats: [] }],
  ['rule', { of: 'group', formats: [] }],
  ['count', { of: 'group', formats: [] }],
  ['further', { of: 'group', formats: [] }],
  ['highest', { of: 'group', formats: [] }],
  ['link', { of: 'group', formats: [] }],
  ['node', { of: 'tag', formats: [] }],
  ['driver', { of: 'tag', formats: [] }],
  ['group', { of: 'tag', formats: [] }],
  ['tag', { of: 'tag', formats: [] }],
  ['priority', { of: 'tag', formats: [] }],
  ['event', { of: 'tag', formats: [] }],
  ['state', { of: 'tag', formats: [] }],
  ['text', { of: 'tag', formats: [] }],
  ['value', { of: 'tag', formats: [] }],
  ['limit', { of: 'tag', formats: [] }],
  ['by', { of: 'tag', formats: [] }],
  ['comment', { of: 'tag', formats: [] }],
  ['time', { of: 'tag', formats: ['s', 'ms', 'iso'] }],
]);

/** What a message is about. */
export interface Contents {
  readonly app: string;
  readonly rule: string;
  readonly items: readonly Item[];
  readonly further: number;
  readonly link: string;
}

/** A text of messages: their subject, or their body. */
export class MessageTemplate {
  readonly #parts: readonly Part[];
  readonly #zone: ZoneClock;
  readonly #language: Language;

  /** The template of a text that has no problem. */
  constructor(text: string, zone: ZoneClock, language: Language) {
    const parsed = parseTemplate(text, 'body', placeholders);
    if ('problem' in parsed) throw new Error(parsed.problem);
    this.#parts = parsed.parts;
    this.#zone = zone;
    this.#language = language;
  }

  /** Why a text is no template, or undefined. The sentence completes "… is not a template:". */
  static problem(text: string, isBody: boolean): string | undefined {
    const parsed = parseTemplate(text, 'body', placeholders);
    if ('problem' in parsed) return parsed.problem;
    const hasTags = parsed.parts.some(({ kind }) => kind === 'tags');
    if (isBody && !hasTags)
      return 'no alarm is in it; write {tags:lines} and {/tags} around what is said of each.';
    const isOfAlarm = parsed.parts.some((part) => part.kind === 'name' && isOfOne(part.name));
    return isOfAlarm && !hasTags && isBody ? 'what is of one alarm stands outside of {tags}.' : undefined;
  }

  /** In a subject, what is of one alarm is of the first. */
  text(contents: Contents): string {
    const first = contents.items[0];
    return this.#parts
      .map((part) =>
        part.kind === 'tags'
          ? contents.items
              .map((item) => part.parts.map((inner) => this.#part(inner, contents, item)).join(''))
              .join(part.separator)
          : this.#part(part, contents, first),
      )
      .join('');
  }

  #part(part: Part, contents: Contents, item: Item | undefined): string {
    if (part.kind === 'text') return part.text;
    return part.kind === 'name' ? this.#value(part.name, part.format, contents, item) : '';
  }

  #value(name: string, format: string, contents: Contents, item: Item | undefined): string {
    const say = words[this.#language];
    switch (name) {
      case 'app':
        return plain(contents.app);
      case 'rule':
        return contents.rule;
      case 'count':
        return String(contents.items.length + contents.further);
      case 'further':
        return String(contents.further);
      case 'highest':
        return say[highestOf(contents.items)];
      case 'link':
        return contents.link;
      case 'time':
        return item === undefined ? '' : this.#time(item.time, format);
      case 'node':
      case 'driver':
        return item?.node ?? '';
      case 'event':
      case 'priority':
        return item === undefined ? '' : say[item[name]];
      case 'limit':
        return item?.limit === undefined ? '' : String(item.limit);
      default:
        return item?.[name as 'group' | 'tag' | 'state' | 'text' | 'value' | 'by' | 'comment'] ?? '';
    }
  }

  #time(time: number, format: string): string {
    if (format === 's') return String(Math.floor(time / 1000));
    if (format === 'ms') return String(time);
    return format === 'iso' ? new Date(time).toISOString() : this.#zone.text(time);
  }
}

/** The most urgent priority of these. */
function highestOf(items: readonly Item[]): Item['priority'] {
  const found = items.map(({ priority }) => alarmPriorities.indexOf(priority));
  return alarmPriorities[Math.max(0, ...found)] ?? 'low';
}

function isOfOne(name: string): boolean {
  return placeholders.get(name)?.of === 'tag';
}
