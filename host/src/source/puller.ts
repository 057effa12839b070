import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConfigBody, type Dialect, ErrorCode } from '@tagway/schemas';
import { isFault, type Log } from '@tagway/sdk';
import type { SourceConfig } from '../config/source-option.ts';
import type { Gateway } from '../core/gateway.ts';
import type { AppliedSource, ConfigSource, Hook, SourceStatus } from '../core/ports/config-source.ts';
import type { SourceRecord } from '../core/records/records.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';
import { FolderFiles } from '../folder/folder-files.ts';
import { changesIn, differenceLines, sumOf } from '../folder/plan-words.ts';
import { ReferenceSources } from '../folder/references.ts';
import { bodyOf } from '../folder/whole-body.ts';
import { alignConfig } from '../http/transfer/config-import.ts';
import { pluginFacts, presentPicture } from '../http/transfer/picture.ts';
import { planAlignment, presentConfig } from '../http/transfer/transfer.ts';
import { asOperated } from './as-operated.ts';
import type { Found, Looked, Question } from './messages.ts';
import { secretsStamp } from './secrets-stamp.ts';
import { SourceError } from './source-error.ts';
import { makePatch, readSource } from './source-reader.ts';
import { checkHook } from './webhook.ts';

/** Milliseconds until a source that is being written is looked at again, and between two looks that somebody asks for. */
const soon = 2500;
/** Milliseconds for which a folder may be written before that is reported. */
const patience = 60_000;
/** Looks are spread, so that many gateways do not ask one server at once: a share of the interval. */
const spread = 0.1;
/** Problems and differences that the log says of one look. */
const mostLines = 20;

export interface PullerOptions {
  readonly gateway: Gateway;
  readonly dialect: Dialect;
  readonly config: SourceConfig;
  /** Of the gateway: its file of variables has it. */
  readonly name: string;
  /** The data folder. */
  readonly data: string;
  readonly log: Log;
  /** False at the standby of a pair, which follows the active gateway. */
  readonly isActive: () => boolean;
}

/** What one look has planned. */
interface Planned {
  readonly body: ConfigBody;
  readonly plan: Awaited<ReturnType<typeof planAlignment>>;
}

/** The configuration was changed while a plan was made. */
class Overtaken extends Error {}

/**
 * Keeps the configuration of this gateway as a source has it: looks at the source, plans, applies and reports, one look after the other. What
 * is wrong changes nothing.
 */
export class Puller implements ConfigSource {
  readonly #options: PullerOptions;
  readonly #ending = new AbortController();
  readonly #startedAt = Date.now();
  /** What was looked at last and was as the gateway is, and with what it was compared. */
  #seen: { readonly stamp: string; readonly changes: number; readonly secrets: string } | undefined;
  #lookedAt: number | undefined;
  #drift: { readonly differences: number; readonly since: number; readonly words: string } | undefined;
  #problem: SourceStatus['problem'];
  /** Somebody has asked for a look since the last one began. */
  #isAsked = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isPatching = false;

  constructor(options: PullerOptions) {
    this.#options = options;
  }

  get isLocking(): boolean {
    return this.#options.config.drift === 'revert';
  }

  status(): SourceStatus {
    const { shown, drift } = this.#options.config;
    const { of: _of, stopped: _stopped, ...applied } = this.#applied ?? {};
    return {
      url: shown,
      applied: this.#applied && (applied as AppliedSource),
      lookedAt: this.#lookedAt,
      drift: { mode: drift, differences: this.#drift?.differences, since: this.#drift?.since },
      problem: this.#problem,
    };
  }

  async called(hook: Hook): Promise<void> {
    await checkHook(hook, this.#options.config.webhook);
    this.look();
  }

  async patch(): Promise<string> {
    const { gateway, dialect, config, data } = this.#options;
    const { place, shown: url, secrets } = config;
    if (this.#applied === undefined) throw notCompared(sentence`Nothing of ${url} is applied yet.`);
    if (this.#isPatching) throw new Refusal(ErrorCode.BUSY, patching);
    const { commit } = this.#applied;
    const files =
      'git' in place
        ? { folder: join(data, 'source', 'trees', commit), path: place.git.path, isOthers: false }
        : { folder: place.folder, path: '', isOthers: true };
    this.#isPatching = true;
    try {
      const picture = presentPicture(gateway, dialect);
      return await makePatch(
        { ...picture, ...files, commit, secrets, vars: this.#vars },
        this.#ending.signal,
      );
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw notCompared(sentence`What is otherwise here cannot be brought into ${url}: ${error.message}`);
    } finally {
      this.#isPatching = false;
    }
  }

  /** Begins to look, once the gateway runs. */
  start(): void {
    this.#running = this.#run();
  }

  /** Looks soon: somebody asks for it, or this gateway has become the active one. */
  look(): void {
    this.#isAsked = true;
    this.#wake?.();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { interval } = this.#options.config;
    while (!this.#ending.signal.aborted) {
      this.#isAsked = false;
      const from = performance.now();
      const isSoon = this.#options.isActive() && (await this.#lookOnce());
      const pause = interval * 1000 * (1 + Math.random() * spread);
      if (!this.#isAsked) await this.#sleep(isSoon ? Math.min(soon, pause) : pause);
      // However often somebody asks, looks are no more frequent.
      if (this.#isAsked) await this.#sleep(Math.min(soon, interval * 1000) - (performance.now() - from));
    }
  }

  async #sleep(milliseconds: number): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    if (!this.#ending.signal.aborted && milliseconds > 0)
      await delay(milliseconds, undefined, { signal: waking.signal, ref: false }).catch(() => undefined);
    this.#wake = undefined;
  }

  /** One look. Gives whether the next one is to come soon. Never rejects. */
  async #lookOnce(): Promise<boolean> {
    const { log, config } = this.#options;
    try {
      const secrets = await secretsStamp(config.secrets);
      const { stamp, found } = await this.#read(secrets);
      if (found !== undefined) await this.#compare(found, stamp, secrets);
      this.#lookedAt = Date.now();
      if (this.#problem !== undefined) log.notice(`The configuration source ${config.shown} is good again.`);
      this.#problem = undefined;
      return false;
    } catch (error) {
      if (this.#ending.signal.aborted) return false;
      if (error instanceof Overtaken) return true;
      if (!(error instanceof SourceError)) {
        log.error(`A look at the configuration source failed by an error of the gateway: ${String(error)}`);
        this.#report(new SourceError('The gateway failed at a look at the source; its log has more.'));
        return false;
      }
      // What is being written is no problem, unless it goes on.
      if (!error.isSoon || Date.now() - (this.#lookedAt ?? this.#startedAt) > patience) this.#report(error);
      return error.isSoon;
    }
  }

  /** What is applied of this source; in a pair also by the other gateway. */
  get #applied(): SourceRecord | undefined {
    const { record } = this.#options.gateway.sourceApplied;
    return record?.of === this.#of ? record : undefined;
  }

  /** Where it comes from, and with which variables. */
  get #of(): string {
    const { shown: url, vars = '' } = this.#options.config;
    return `${url} ${vars}`;
  }

  get #vars(): Question['vars'] {
    const { config, name } = this.#options;
    return { name: config.vars ?? name, isOptional: config.vars === undefined };
  }

  /** What is in the source; only its stamp where nothing has changed there or here. */
  #read(secrets: string): Promise<Looked> {
    const { config, gateway, data } = this.#options;
    const { place } = config;
    const applied = this.#applied;
    const seen = this.#seen;
    const isSame =
      this.#problem === undefined && seen?.changes === gateway.changes && seen.secrets === secrets;
    return readSource(
      {
        place,
        kept: join(data, 'source'),
        trusted: join(data, 'trusted', 'commits'),
        applied: applied && { commit: applied.commit, committed: applied.committed ?? 0 },
        vars: this.#vars,
        known: isSame ? seen.stamp : undefined,
      },
      this.#ending.signal,
    );
  }

  /** Keeps why the source is not applied, and logs it once. */
  #report({ message, commit }: SourceError): void {
    if (this.#problem?.message === message && this.#problem.commit === commit) return;
    this.#problem = { message, since: Date.now(), ...(commit !== undefined && { commit }) };
    const what = commit === undefined ? '' : `${commit.slice(0, 12)} of `;
    const [first = '', ...rest] = message.split('\n');
    const { log, config } = this.#options;
    log.warn(`The configuration ${what}${config.shown} is not applied, and nothing was changed: ${first}`);
    for (const line of rest.slice(0, mostLines)) log.warn(line);
  }

  async #compare(found: Found, stamp: string, secrets: string): Promise<void> {
    const { changes } = this.#options.gateway;
    const planned = await this.#plan(found);
    const count = changesIn(planned.plan);
    if (found.commit === this.#applied?.commit) await this.#meetDrift(found, planned, count, changes);
    else await this.#take(found, planned, count, changes);
    this.#seen = { stamp, changes, secrets };
  }

  /** Rejects with `SourceError` when something is wrong. */
  async #plan({ content, folder, commit }: Found): Promise<Planned> {
    const { gateway, dialect, config } = this.#options;
    const present = presentConfig(gateway, dialect, false);
    const stored = new Map(present.settings.map(({ node, params }) => [node, params]));
    const sources = new ReferenceSources(await FolderFiles.open(folder), config.secrets, process.env);
    const { body: files, problems } = await bodyOf(content, pluginFacts(gateway), sources, stored);
    if (problems.length > 0) throw new SourceError(shown(problems), { commit });
    const body = asOperated(files, gateway, this.#applied && new Set(this.#applied.stopped));
    try {
      const plan = await planAlignment(gateway, dialect, body, { unknown: () => undefined });
      if (plan.faults.length > 0)
        throw new SourceError(shown(plan.faults.map(({ message }) => message)), { commit });
      return { body, plan };
    } catch (error) {
      throw isFault(error) ? new SourceError(error.message, { commit, cause: error }) : error;
    }
  }

  /** Applies what is new, and remembers it. */
  async #take(found: Found, { body, plan }: Planned, count: number, changes: number): Promise<void> {
    const { config, gateway, log } = this.#options;
    if (count > 0) await this.#apply(body, changes, found.commit);
    const { commit, committed, author, subject, content } = found;
    const applied: SourceRecord = {
      of: this.#of,
      commit,
      time: Date.now(),
      ...(committed !== undefined && { committed }),
      ...(author !== undefined && { author }),
      ...(subject !== undefined && { subject }),
      stopped: content.body.nodes.filter(({ running }) => running === 4).map(({ name }) => name),
    };
    await gateway.sourceApplied.set(applied);
    this.#drift = { differences: 0, since: Date.now(), words: '' };
    const what = count === 0 ? 'the gateway was as it says already' : sumOf(plan);
    this.#audit(`applied ${nameOf(found)} of ${config.shown}: ${what}`);
    log.notice(`The configuration ${nameOf(found)} of ${config.shown} is applied: ${what}.`);
  }

  /** Does with what somebody has changed by hand what the setting says. */
  async #meetDrift(found: Found, { body, plan }: Planned, count: number, changes: number): Promise<void> {
    const { config, log } = this.#options;
    const lines = count === 0 ? [] : differenceLines(plan);
    const words = lines.join('\n');
    if (count > 0 && config.drift === 'revert') {
      await this.#apply(body, changes, found.commit);
      this.#drift = { differences: 0, since: Date.now(), words: '' };
      this.#audit(`put back what ${config.shown} says and somebody had changed: ${sumOf(plan)}`);
      log.notice(`What somebody had changed is as ${config.shown} says again: ${sumOf(plan)}.`);
      return;
    }
    if (this.#drift?.words === words && this.#drift.differences === count) return;
    if (config.drift === 'report' && count > 0) {
      log.warn(`Somebody has changed what ${config.shown} says, ${sumOf(plan)}:`);
      for (const line of lines.slice(0, mostLines)) log.warn(line);
    }
    if (count === 0 && (this.#drift?.differences ?? 0) > 0)
      log.notice(`The gateway is as ${config.shown} says again.`);
    const since = count > 0 && (this.#drift?.differences ?? 0) > 0 ? this.#drift?.since : Date.now();
    this.#drift = { differences: count, since: since ?? Date.now(), words };
  }

  /** Rejects with `SourceError`, or with `Overtaken` when somebody has changed something since the plan was made. */
  async #apply(body: ConfigBody, changes: number, commit: string): Promise<void> {
    const { gateway } = this.#options;
    const condition = async (): Promise<void> => {
      if (gateway.changes !== changes) throw new Overtaken();
    };
    try {
      await alignConfig(gateway, body, { unknown: () => undefined }, condition);
    } catch (error) {
      throw isFault(error) ? new SourceError(error.message, { commit, cause: error }) : error;
    }
  }

  #audit(text: string): void {
    this.#options.gateway.audit.add({
      time: Date.now(),
      user: '',
      kind: 'folder',
      error: ErrorCode.SUCCESS,
      text,
    });
  }
}

const patching = sentence`Somebody else has this gateway compared with its source already. Try again in a moment.`;

function notCompared(reason: Sentence): Refusal {
  return new Refusal(ErrorCode.CONFIG_NOT_COMPARED, reason);
}

function nameOf({ commit, subject }: Found): string {
  return subject === undefined ? commit.slice(0, 12) : `${commit.slice(0, 12)} ("${subject}")`;
}

function shown(problems: readonly string[]): string {
  const rest = problems.length - mostLines;
  return [...problems.slice(0, mostLines), ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n');
}
