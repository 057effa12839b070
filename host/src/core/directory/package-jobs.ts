import { ErrorCode, type DirectoryJob, type DirectoryJobBody, type PluginOrigin } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { compare } from 'semver';
import type { Plugin } from '../model.ts';
import type { Installs } from '../nodes/plugin-installs.ts';
import { pluginNamed } from '../nodes/plugins.ts';
import type { FetchedArchive, Registries, RegistrySession } from '../ports/registries.ts';
import type { State } from '../records/state.ts';
import { reasonOf, Refusal, sentence, type Sentence } from '../system/sentence.ts';
import { sentenceOf } from '../system/system-error.ts';
import { cameFrom } from './cautions.ts';
import { thisPlatform } from './fitness.ts';
import { checkObjections } from './objections.ts';
import { type Aim, archiveOf, contentOf, signedOf } from './package-archive.ts';
import { checkPackage } from './package-check.ts';
import { isSameRegistry, type RegistrySettings } from './registry-settings.ts';
import { checkWanted, type FittingVersion, newestFitting, versionToInstall } from './versions.ts';

/** Jobs that run or wait; the next one is answered with BUSY. */
const mostOpen = 20;
/** Jobs that are over and can still be asked for, the newest. */
const mostOver = 50;
/** Jobs that ask a registry at the same time. */
const mostAtOnce = 2;

/** Who has asked for a job. */
export interface JobAsker {
  /** In the log. */
  readonly who: string;
  /** Puts into the audit what became of it. */
  readonly audit: (text: string, error: number) => void;
}

/** A job whose message is as it was made, so that clients can say it in their language. */
export type ShownJob = Omit<DirectoryJob, 'message'> & { readonly message?: Sentence | string };

interface Job {
  shown: ShownJob;
  readonly ending: AbortController;
  readonly done: Promise<void>;
}

type Changes = Partial<Omit<ShownJob, 'job' | 'action'>>;

const isOver = ({ state }: ShownJob): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** Looks at packages and installs them, each as a job whose progress can be asked for. A restart forgets the jobs. */
export class PackageJobs {
  readonly #state: State;
  readonly #installs: Installs;
  readonly #settings: RegistrySettings;
  readonly #registries: Registries;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #last = 0;

  constructor(state: State, installs: Installs, settings: RegistrySettings, registries: Registries) {
    this.#state = state;
    this.#installs = installs;
    this.#settings = settings;
    this.#registries = registries;
  }

  /** Begins a job and gives its name. Throws PARAM_INVALID, PLUGIN_NOT_FOUND, or BUSY. */
  begin(body: DirectoryJobBody, asker: JobAsker): string {
    const { action, version } = body;
    const name = this.#nameOf(body);
    checkWanted(name, version);
    if ([...this.#jobs.values()].filter(({ shown }) => !isOver(shown)).length >= mostOpen)
      throw new Refusal(
        ErrorCode.BUSY,
        sentence`${mostOpen} packages are being looked at or installed. Try again later.`,
      );
    const id = `${Date.now().toString(36)}-${++this.#last}`;
    const ending = new AbortController();
    const done = Promise.withResolvers<void>();
    const shown: ShownJob = { job: id, action, package: name, state: 'waiting', received: 0 };
    const job: Job = { shown, ending, done: done.promise };
    this.#jobs.set(id, job);
    void this.#run(job, body, asker).finally(() => {
      done.resolve();
      this.#forgetOldest();
    });
    return id;
  }

  /** Throws JOB_NOT_FOUND. */
  job(id: string): ShownJob {
    return this.#jobOf(id).shown;
  }

  /** Resolves when a job is over. */
  async over(id: string): Promise<ShownJob> {
    const job = this.#jobOf(id);
    await job.done;
    return job.shown;
  }

  /** Rejects with JOB_NOT_FOUND, or with JOB_NOT_CANCELLABLE for one that installs already or is over. */
  async cancel(id: string): Promise<void> {
    const job = this.#jobOf(id);
    if (isOver(job.shown) || job.shown.state === 'installing')
      throw new Refusal(
        ErrorCode.JOB_NOT_CANCELLABLE,
        isOver(job.shown)
          ? sentence`The job is over.`
          : sentence`The plugin is being put in its place, which is not interrupted.`,
      );
    job.ending.abort();
    await job.done;
  }

  /** Ends what is fetched, and waits for all jobs. */
  async close(): Promise<void> {
    for (const { ending } of this.#jobs.values()) ending.abort();
    await Promise.all(Array.from(this.#jobs.values(), ({ done }) => done));
  }

  #jobOf(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    throw new Refusal(
      ErrorCode.JOB_NOT_FOUND,
      sentence`There is no such job: it ended long ago, or before the gateway started.`,
    );
  }

  #nameOf({ action, package: name, plugin }: DirectoryJobBody): string {
    if (action === 'update') {
      if (plugin === undefined)
        throw new Refusal(ErrorCode.PARAM_INVALID, sentence`An update names the plugin.`);
      return this.#originOf(this.#installed(plugin)).package;
    }
    if (name === undefined)
      throw new Refusal(
        ErrorCode.PARAM_INVALID,
        sentence`What is looked at or installed is named as a package.`,
      );
    return name;
  }

  #installed(plugin: string): Plugin {
    return (
      this.#state.ports.plugins.byId(plugin) ?? pluginNamed(this.#state, plugin, ErrorCode.PLUGIN_NOT_FOUND)
    );
  }

  #originOf(plugin: Plugin): PluginOrigin {
    if (plugin.origin !== undefined) return plugin.origin;
    throw new Refusal(
      ErrorCode.PARAM_INVALID,
      sentence`The plugin "${plugin.name}" ${cameFrom(plugin)}, so that there is no registry to ask for another version.`,
    );
  }

  async #run(job: Job, body: DirectoryJobBody, { who, audit }: JobAsker): Promise<void> {
    const change = (changes: Changes): void => {
      job.shown = { ...job.shown, ...changes };
    };
    const { signal } = job.ending;
    try {
      await this.#turn(signal);
      try {
        await using session = this.#registries.open(signal);
        if (body.action === 'look') await this.#look(body, session, signal, change);
        else await this.#install(body, session, signal, change, who);
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
      if (body.action !== 'look') audit(String(job.shown.message ?? ''), ErrorCode.SUCCESS);
    } catch (error) {
      const isCancelled = signal.aborted && job.shown.state !== 'installing';
      const { code, message } = faultOf(error);
      if (isCancelled)
        change({ state: 'cancelled', message: sentence`It was cancelled. Nothing was changed.` });
      else change({ state: 'failed', code, message });
      const text = `the ${body.action === 'update' ? 'update' : 'installation'} from the package ${job.shown.package}`;
      if (body.action !== 'look')
        audit(isCancelled ? `cancelled ${text}` : `${text} failed, with error ${code}`, code);
    }
  }

  /** Waits until few enough jobs run. */
  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#running >= mostAtOnce) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      await promise;
      signal.throwIfAborted();
      signal.removeEventListener('abort', leave);
    }
    this.#running++;
  }

  async #look(
    { package: name = '', version, prerelease }: DirectoryJobBody,
    session: RegistrySession,
    signal: AbortSignal,
    change: (changes: Changes) => void,
  ): Promise<void> {
    const aim = { name, registry: await this.#settings.of(name) };
    change({ state: 'asking' });
    const facts = await session.package(aim.registry, name);
    const found = versionToInstall(facts, thisPlatform(), { version, prerelease });
    const verified = await session.verify(aim.registry, signedOf(name, found));
    const fetched = await this.#fetch(aim, found, session, change);
    change({ state: 'checking' });
    const staged = await this.#state.ports.libraries.inspect(archiveOf(aim, found, verified, fetched));
    try {
      signal.throwIfAborted();
      await checkPackage(staged, name, found);
      change({ state: 'done', content: await contentOf(staged, verified, fetched) });
    } finally {
      await staged.discard();
    }
  }

  async #install(
    body: DirectoryJobBody,
    session: RegistrySession,
    signal: AbortSignal,
    change: (changes: Changes) => void,
    who: string,
  ): Promise<void> {
    const aim = await this.#aimOf(body);
    const { version, prerelease } = body;
    change({ state: 'asking' });
    const facts = await session.package(aim.registry, aim.name);
    const platform = thisPlatform();
    if (aim.installed !== undefined && version === undefined) {
      const newest = newestFitting(facts, platform, { prerelease });
      if (newest === undefined || compare(newest.version, aim.installed.version) <= 0) {
        const message = sentence`Version ${aim.installed.version} of the plugin "${aim.installed.name}" is the newest one that fits.`;
        return change({ state: 'done', version: aim.installed.version, message });
      }
    }
    const found = versionToInstall(facts, platform, { version, prerelease });
    change({ version: found.version });
    const verified = await session.verify(aim.registry, signedOf(aim.name, found));
    const plugins = this.#state.ports.plugins.all();
    const isReplacing = checkObjections(aim, found, verified, plugins, body, change);
    const fetched = await this.#fetch(aim, found, session, change);
    signal.throwIfAborted();
    change({ state: 'installing' });
    const plugin = await this.#installs.install(
      archiveOf(aim, found, verified, fetched),
      isReplacing ? 'replace' : 'install',
      who,
      undefined,
      { check: (staged) => checkPackage(staged, aim.name, found) },
    );
    change({
      state: 'done',
      message: sentence`Version ${plugin.version} of the plugin "${plugin.name}" is installed, from the package ${aim.name} of ${aim.registry.url}.`,
    });
  }

  async #aimOf({ action, package: name = '', plugin = '' }: DirectoryJobBody): Promise<Aim> {
    if (action !== 'update') return { name, registry: await this.#settings.of(name) };
    const installed = this.#installed(plugin);
    const origin = this.#originOf(installed);
    const registry = await this.#settings.of(origin.package);
    if (!isSameRegistry(registry.url, origin.registry))
      throw new Refusal(
        ErrorCode.PLUGIN_FROM_ELSEWHERE,
        sentence`The plugin "${installed.name}" ${cameFrom(installed)}, and the package is now asked of ${registry.url}. An update comes from where the plugin came from. Set that registry again, or install the package by its name as what replaces the plugin.`,
      );
    return { name: origin.package, registry, installed };
  }

  async #fetch(
    { name, registry }: Aim,
    found: FittingVersion,
    session: RegistrySession,
    change: (changes: Changes) => void,
  ): Promise<FetchedArchive> {
    change({ state: 'fetching', version: found.version });
    const fetched = await session.archive(registry, signedOf(name, found), (received) => change(received));
    change({ received: fetched.content.length, size: fetched.content.length });
    return fetched;
  }

  #forgetOldest(): void {
    const over = [...this.#jobs.values()].filter(({ shown }) => isOver(shown));
    for (const { shown } of over.slice(0, Math.max(0, over.length - mostOver))) this.#jobs.delete(shown.job);
  }
}

function faultOf(error: unknown): { readonly code: number; readonly message: Sentence | string } {
  if (isFault(error)) return { code: error.code, message: reasonOf(error) };
  return { code: ErrorCode.INTERNAL, message: sentenceOf(error) };
}
