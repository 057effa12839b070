import type { AlarmEvent, App, AppContext, Inputs, Subscription } from '@tagway/sdk';
import { isFault, LinkState } from '@tagway/sdk';
import { AlarmSources } from './alarm-sources.ts';
import { rulesOfParams } from './checks.ts';
import { Composer } from './compose.ts';
import { Digests } from './digests.ts';
import { Hook } from './hook.ts';
import { type LocalTime, ZoneClock } from './hours.ts';
import { eventOf, type Happening, Incidents, isOpen } from './incidents.ts';
import { type Item, subjectOf } from './item.ts';
import { Kept } from './kept.ts';
import { Mail } from './mail.ts';
import { Outbox } from './outbox.ts';
import { Queues, type Target, targetsOf } from './queues.ts';
import { type Channel, parseRules, type Rule } from './rules.ts';
import { type Problem, Sender } from './sender.ts';
import type { Settings } from './settings.ts';
import { happenings, keyOfSignal } from './signal-inputs.ts';
import { parseSignals, type Signal } from './signals.ts';

const second = 1000;
const hour = 3_600_000;

interface Parts {
  readonly kept: Kept;
  readonly queues: Queues;
  readonly outbox: Outbox;
  readonly incidents: Incidents;
  readonly digests: Digests;
  readonly sources: AlarmSources;
}

/** One run of a Notify node. */
export class NotifyApp implements App {
  readonly #context: AppContext<Settings>;
  readonly #zone: ZoneClock;
  readonly #rules: readonly Rule[];
  readonly #targets: readonly Target[];
  readonly #composer: Composer;
  /** By the texts of their references. */
  readonly #signals: ReadonlyMap<string, readonly Signal[]>;
  readonly #senders = new Map<Channel, Sender>();
  readonly #problems = new Map<Channel, Problem | undefined>();
  /** Since when something waits for a target, by the monotonic clock. */
  readonly #waitingSince = new Map<string, number>();
  /** What ends with the run. */
  readonly #ends: (() => Promise<void> | void)[] = [];
  #parts: Parts | undefined;
  #starting: Promise<unknown> | undefined;
  #tick: Disposable | undefined;
  #storing: Promise<void> | undefined;
  #logged = '';

  constructor(context: AppContext<Settings>) {
    const { settings } = context;
    this.#context = context;
    this.#zone = new ZoneClock(settings.time_zone);
    const rules = parseRules(settings.rules);
    this.#rules = 'value' in rules ? rules.value : [];
    this.#targets = targetsOf(this.#rules);
    this.#composer = new Composer(context.node, settings, this.#zone);
    const signals = parseSignals(
      settings.signals,
      this.#rules.map(({ name }) => name),
    );
    this.#signals = Map.groupBy('value' in signals ? signals.value : [], ({ reference }) => reference);
  }

  async start(): Promise<void> {
    const opening = Kept.open(this.#context.store);
    this.#starting = opening;
    const kept = await opening;
    const parts: Parts = {
      kept,
      outbox: new Outbox(kept),
      queues: new Queues(kept, this.#targets, (count) =>
        this.#context.log.warn(
          `${count} alarms wait for rules that there are not any more, and are not sent.`,
        ),
      ),
      incidents: new Incidents(kept, this.#rules, (rule, item) => this.#enqueue(rule, item)),
      digests: new Digests(kept, this.#rules, this.#local()),
      sources: new AlarmSources(this.#context, kept, {
        take: (events, subscription) => this.#takeAlarms(events, subscription),
        forget: (id) => this.#forget(`a/${id}/`),
      }),
    };
    this.#parts = parts;
    const known = new Set(Array.from(this.#signals.values()).flat().map(keyOfSignal));
    for (const key of parts.incidents.keys('s/')) if (!known.has(key)) parts.incidents.forget(key);
    const targets = new Set(this.#targets.map(({ key }) => key));
    for (const message of parts.outbox.all()) if (!targets.has(message.target)) parts.outbox.delete(message);
    this.#context.link(LinkState.CONNECTING, {
      reason: 'Nothing was sent yet: the first message is, when something has happened.',
    });
    for (const channel of new Set(this.#targets.map((target) => target.channel)))
      this.#senders.set(channel, this.#open(channel, parts));
    for (const sender of this.#senders.values()) {
      const run = sender.run();
      this.#ends.push(() => run);
    }
    this.#look();
  }

  subscriptionsChanged(all: readonly Subscription[]): void {
    const { incidents, sources } = this.#parts ?? {};
    if (incidents === undefined) return;
    for (const { id, layout } of all) {
      const tags = new Set([...layout.columns, ...layout.writeOnly].map(({ name }) => name));
      for (const key of incidents.keys(`a/${id}/`))
        if (!tags.has(key.slice(`a/${id}/`.length))) incidents.forget(key);
    }
    sources?.change(all);
    this.#store();
  }

  /** Values of groups are not sent. */
  deliver(): void {}

  deliverAlarms(events: readonly AlarmEvent[], subscription: Subscription): void {
    this.#parts?.sources.take(events, subscription);
    this.#pump();
  }

  deliverInputs(inputs: Inputs): void {
    const { incidents } = this.#parts ?? {};
    if (incidents === undefined) return;
    const now = this.#context.clock.now();
    for (const one of happenings(inputs, this.#signals, (key) => incidents.has(key), now))
      this.#happened(one);
    this.#pump();
  }

  /** The signal of the context has aborted before: nothing is sent any more, and what was is noted. */
  async stop(): Promise<void> {
    this.#tick?.[Symbol.dispose]();
    await this.#starting?.catch(() => undefined);
    for (const end of this.#ends) await end();
    await this.#parts?.sources.settled();
    await this.#parts?.kept.flush().catch(() => undefined);
  }

  #local(): LocalTime {
    return this.#zone.at(this.#context.clock.now());
  }

  #open(channel: Channel, { kept, outbox }: Parts): Sender {
    const context = this.#context;
    const keys = new Set(this.#targets.flatMap((target) => (target.channel === channel ? [target.key] : [])));
    const common = {
      context,
      kept,
      outbox,
      isOwn: ({ target }: { readonly target: string }) => keys.has(target),
      state: (problem?: Problem) => this.#report(channel, problem),
      done: () => this.#pump(),
    };
    if (channel === 'mail') {
      const mail = new Mail(context.settings);
      return new Sender({
        ...common,
        send: (message, signal) => mail.send(message, signal),
        test: (signal) => mail.test({ signal, step: () => undefined }),
      });
    }
    const hook = new Hook(context.settings);
    this.#ends.push(() => hook.close());
    return new Sender({
      ...common,
      async send(message, signal) {
        await hook.send(message, signal);
        return { taken: 1, refused: [], later: [] };
      },
    });
  }

  #report(channel: Channel, report: Problem | undefined): void {
    this.#problems.set(channel, report);
    const problem = [...this.#problems.values()].find((one) => one !== undefined);
    if (problem === undefined) this.#context.link(LinkState.CONNECTED);
    else {
      const { reason, step } = problem;
      this.#context.link(LinkState.DISCONNECTED, { reason, ...(step !== undefined && { step }) });
    }
  }

  #takeAlarms(events: readonly AlarmEvent[], { id, driver, group, params }: Subscription): void {
    const names = this.#namesOf(params);
    for (const event of events)
      this.#happened({
        key: `a/${id}/${event.tag}`,
        event: eventOf(event.from, event.to),
        subject: subjectOf(event, driver, group),
        isOpen: isOpen(event.to),
        rules: names,
      });
    this.#store();
  }

  /** Rules of a subscription. One that names none that there is reaches all, so that nothing is lost by a slip. */
  #namesOf(params: Subscription['params']): readonly string[] | undefined {
    const names = rulesOfParams(params);
    if (names === undefined || isFault(names)) return undefined;
    const known = names.filter((name) => this.#rules.some((rule) => rule.name === name));
    if (known.length === names.length) return names;
    this.#log(`A subscription names the rules ${names.join(', ')}, of which not all are there.`);
    return known.length === 0 ? undefined : known;
  }

  #happened(happening: Happening): void {
    const { incidents, digests } = this.#parts ?? {};
    incidents?.take(happening, this.#context.clock.now(), this.#local());
    if (happening.event !== undefined) digests?.count(happening.event, happening.subject, happening.rules);
  }

  #forget(prefix: string): void {
    for (const key of this.#parts?.incidents.keys(prefix) ?? []) this.#parts?.incidents.forget(key);
  }

  #enqueue(rule: Rule, item: Item): void {
    for (const target of this.#targets)
      if (target.rule === rule) {
        if (!this.#waitingSince.has(target.key))
          this.#waitingSince.set(target.key, this.#context.clock.monotonic());
        this.#parts?.queues.add(target, item);
      }
  }

  /** Once a second: what is due because time has passed. */
  #look(): void {
    const { incidents, digests, outbox } = this.#parts!;
    const now = this.#context.clock.now();
    const local = this.#zone.at(now);
    incidents.look(now, local);
    for (const { rule, digest } of digests.due(local))
      for (const target of this.#targets)
        if (target.rule === rule) outbox.put(this.#composer.digest(target, digest, incidents.open(), now));
    this.#pump();
    this.#tick = this.#context.clock.timer(second, () => this.#look());
  }

  /** Makes the messages that are due, and shows what waits. */
  #pump(): void {
    const parts = this.#parts;
    if (parts === undefined || this.#context.signal.aborted) return;
    const { clock, settings } = this.#context;
    const now = clock.now();
    let waiting = 0;
    let oldest = parts.outbox.oldest ?? now;
    for (const target of this.#targets) {
      const { items, further } = parts.queues.of(target);
      if (items.length === 0) continue;
      const since = this.#waitingSince.get(target.key) ?? -Infinity;
      const isGathered = clock.monotonic() - since >= settings.gather * second;
      if (
        isGathered &&
        !parts.outbox.isBusy(target.key) &&
        this.#send(parts, target, { items, further }, now)
      )
        continue;
      waiting += items.length + further;
      oldest = Math.min(oldest, ...items.slice(0, 1).map(({ time }) => time));
    }
    this.#context.gauge('cached_msgs', parts.outbox.size);
    this.#context.gauge('waiting_alarms', waiting);
    const isWaiting = parts.outbox.size > 0 || waiting > 0;
    this.#context.gauge(
      'oldest_waiting_seconds',
      isWaiting ? Math.max(0, Math.round((now - oldest) / 1000)) : 0,
    );
    this.#store();
    for (const sender of this.#senders.values()) sender.wake();
  }

  /** Makes the message of a target from what waits for it, unless there were too many within an hour. */
  #send(
    { kept, outbox, queues }: Parts,
    target: Target,
    waiting: ReturnType<Queues['of']>,
    now: number,
  ): boolean {
    const { most_per_hour: most } = this.#context.settings;
    const key = `times/${target.key}`;
    const all = JSON.parse(kept.get(key) ?? '[]') as readonly number[];
    const times = all.filter((time) => time > now - hour && time <= now);
    if (times.length >= most) return false;
    const until = times.length + 1 === most ? (times[0] ?? now) + hour : undefined;
    const { message, unlisted } = this.#composer.message(target, waiting, now, until);
    if (unlisted > 0) this.#context.count('suppressed_alarms_total', unlisted);
    outbox.put(message);
    queues.clear(target);
    kept.set(key, JSON.stringify([...times, now]));
    this.#waitingSince.delete(target.key);
    return true;
  }

  /** Stores what has changed; what cannot be stored now goes with the next time. */
  #store(): void {
    const { kept } = this.#parts ?? {};
    if (kept === undefined || this.#storing !== undefined) return;
    this.#storing = kept.flush().then(
      () => {
        this.#storing = undefined;
        if (kept.isChanged) this.#store();
      },
      (error: unknown) => {
        this.#storing = undefined;
        this.#log(`What was sent cannot be stored now; it is tried again: ${String(error)}`);
      },
    );
  }

  /** Logs a sentence, but not the same one again and again. */
  #log(sentence: string): void {
    if (sentence === this.#logged || this.#context.signal.aborted) return;
    this.#logged = sentence;
    this.#context.log.warn(sentence);
  }
}
