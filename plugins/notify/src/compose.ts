import { randomUUID } from 'node:crypto';
import { alarmPriorities } from '@tagway/sdk';
import type { Digest } from './digests.ts';
import type { ZoneClock } from './hours.ts';
import type { Item, Subject } from './item.ts';
import type { Message } from './outbox.ts';
import { plain } from './plain.ts';
import type { Target, Waiting } from './queues.ts';
import { HookFormat, type Settings } from './settings.ts';
import { MessageTemplate } from './template.ts';
import { type Words, words } from './words.ts';

/** Alarms that one message lists, and bytes that it has as it is stored: more than that are counted. */
const most = { listed: 50, bytes: 60_000, subject: 200 } as const;

/** Alarms of a digest of each kind. */
const mostOfDigest = 20;

/** Makes messages of what waits. */
export class Composer {
  readonly #app: string;
  readonly #settings: Settings;
  readonly #zone: ZoneClock;
  readonly #subject: MessageTemplate;
  readonly #body: MessageTemplate;
  readonly #say: Words;

  constructor(app: string, settings: Settings, zone: ZoneClock) {
    const language = settings.language === 1 ? 'zh' : 'en';
    this.#app = app;
    this.#settings = settings;
    this.#zone = zone;
    this.#say = words[language];
    this.#subject = new MessageTemplate(settings.subject, zone, language);
    this.#body = new MessageTemplate(settings.body, zone, language);
  }

  /** `until`: it is the last one before then. */
  message(
    target: Target,
    { items, further }: Waiting,
    now: number,
    until: number | undefined,
  ): { readonly message: Message; readonly unlisted: number } {
    for (let count = Math.min(items.length, most.listed); ; count = Math.floor(count / 2)) {
      const unlisted = further + items.length - count;
      const message = this.#listing(target, items.slice(0, count), unlisted, now, until);
      if (Buffer.byteLength(JSON.stringify(message)) <= most.bytes || count <= 1)
        return { message, unlisted };
    }
  }

  digest(target: Target, { counts, often }: Digest, open: Iterable<Subject>, now: number): Message {
    const say = this.#say;
    const names = Object.entries(often).sort(([, a], [, b]) => b - a);
    const unacknowledged = [...open].sort(
      (a, b) => alarmPriorities.indexOf(b.priority) - alarmPriorities.indexOf(a.priority) || a.time - b.time,
    );
    const title = `${plain(this.#app)}: ${say.digest(this.#zone.text(now).slice(0, 16))}`;
    const lines = [
      title,
      '',
      say.counts(counts),
      ...(names.length > 0 ? ['', say.often] : []),
      ...names.slice(0, mostOfDigest).map(([name, count]) => `${count} × ${name}`),
      ...(unacknowledged.length > 0 ? ['', say.open] : []),
      ...unacknowledged
        .slice(0, mostOfDigest)
        .map((one) => `${this.#zone.text(one.time)} ${say[one.priority]} ${placeOf(one)} ${one.text}`.trim()),
      ...(unacknowledged.length > mostOfDigest ? [say.further(unacknowledged.length - mostOfDigest)] : []),
      ...(this.#link === '' ? [] : ['', this.#link]),
    ];
    const record = {
      kind: 'digest',
      counts,
      often: Object.fromEntries(names.slice(0, mostOfDigest)),
      open: unacknowledged
        .slice(0, mostOfDigest)
        .map(({ time, node, group, tag, priority, text }) => ({ time, node, group, tag, priority, text })),
    };
    return this.#made(target, title, lines.join('\n'), record, now);
  }

  #listing(
    target: Target,
    items: readonly Item[],
    further: number,
    now: number,
    until: number | undefined,
  ): Message {
    const { name: rule } = target.rule;
    const contents = { app: this.#app, rule, items, further, link: this.#link };
    const subject = plain(this.#subject.text(contents), most.subject);
    const notes = [
      ...(further > 0 ? [this.#say.further(further)] : []),
      ...(until === undefined
        ? []
        : [this.#say.last(this.#settings.most_per_hour, this.#zone.text(until).slice(11, 16))]),
    ];
    const text = [this.#body.text(contents).trim(), ...notes].join('\n\n');
    return this.#made(target, subject, text, { kind: 'alarms', alarms: items, further }, now);
  }

  #made({ key, rule, channel }: Target, subject: string, text: string, record: object, now: number): Message {
    const id = randomUUID();
    const common = { id, target: key, time: now, to: channel === 'mail' ? rule.mail : [] };
    if (channel === 'mail' || this.#settings.webhook_format === HookFormat.TEXT)
      return { ...common, subject, body: text };
    const body =
      this.#settings.webhook_format === HookFormat.CHAT
        ? { text }
        : { id, app: this.#app, rule: rule.name, time: now, subject, ...record, link: this.#link };
    return { ...common, subject, body: JSON.stringify(body) };
  }

  get #link(): string {
    const { page } = this.#settings;
    return page ? `${page.replace(/\/+$/, '')}/#/alarms` : '';
  }
}

function placeOf({ node, group, tag }: Subject): string {
  return group === '' ? tag : `${node}/${group}/${tag}`;
}
