import {
  ErrorCode,
  type DirectorySearchReply,
  type FoundPackage,
  type Outdated,
  type OutdatedReply,
  type PackageReply,
  type Registry,
} from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { compare } from 'semver';
import type { Plugin } from '../model.ts';
import type { Installs } from '../nodes/plugin-installs.ts';
import type { ProfileStore, ProfileSummary } from '../ports/profiles.ts';
import type { FoundName, Registries, RegistrySession } from '../ports/registries.ts';
import { outdatedProfile } from '../profiles/profile-versions.ts';
import type { State } from '../records/state.ts';
import { Lock } from '../records/lock.ts';
import { reasonOf, Refusal, saidBy, sentence } from '../system/sentence.ts';
import { cautionsOf } from './cautions.ts';
import { thisPlatform, unfitness } from './fitness.ts';
import { copyPackage, type PackageCopy } from './package-copy.ts';
import { PackageJobs } from './package-jobs.ts';
import { foundPackage, packageReply, reasonIn } from './package-rows.ts';
import { isSameRegistry, isSearched, RegistrySettings } from './registry-settings.ts';
import { withSimilarNames } from './similar-names.ts';
import { TrustRenewal } from './trust-renewal.ts';
import { trustIn } from './trust.ts';
import { UpdateWatch } from './update-watch.ts';
import { checkWanted, newestFitting, newestOf, shownVersion, type Wanted } from './versions.ts';

/** Packages that a search shows at most, on all its pages. */
const mostFound = 500;
/** Questions to registries that run at the same time, and those that may wait; the next one is answered with BUSY. */
const mostAsking = 4;
const mostWaiting = 40;
/** Packages whose facts are fetched side by side. */
const sideBySide = 4;

export interface Search extends Wanted {
  readonly text: string;
  readonly page: number;
  readonly pageSize: number;
}

/** Finds plugins in registries. Nothing is asked of a registry without somebody who wants it. */
export class Directory {
  readonly settings: RegistrySettings;
  readonly jobs: PackageJobs;
  readonly updates: UpdateWatch;
  readonly trustRenewal: TrustRenewal;
  readonly #state: State;
  readonly #registries: Registries;
  readonly #profiles: Pick<ProfileStore, 'list'>;
  readonly #ending = new AbortController();
  readonly #asking = new Lock(mostAsking);
  #outdated: OutdatedReply = { plugins: [], profiles: [] };

  constructor(
    state: State,
    installs: Installs,
    registries: Registries,
    profiles: Pick<ProfileStore, 'list'>,
  ) {
    this.#state = state;
    this.#registries = registries;
    this.#profiles = profiles;
    this.updates = new UpdateWatch(() => this.look({}), state.ports.log);
    this.trustRenewal = new TrustRenewal(registries, () => this.settings.of(''), state.ports.log);
    this.settings = new RegistrySettings(state, registries, this.updates, this.trustRenewal);
    this.jobs = new PackageJobs(state, installs, this.settings, registries);
  }

  /** A page of the plugins that fit words. Rejects with REGISTRY_WITHOUT_SEARCH, or with the fault of the only registry that is asked. */
  search({ text, page, pageSize, prerelease }: Search): Promise<DirectorySearchReply> {
    return this.ask(async (session) => {
      const searched = distinct((await this.settings.all()).filter(isSearched));
      if (searched.length === 0)
        throw new Refusal(
          ErrorCode.REGISTRY_WITHOUT_SEARCH,
          sentence`No registry is set to be searched. A package whose name is known can be looked at and installed all the same.`,
        );
      const notices: DirectorySearchReply['notices'] = [];
      const found: (FoundName & { readonly registry: Registry })[] = [];
      for (const registry of searched) {
        try {
          const { packages, isCut } = await session.search(registry, text, mostFound);
          found.push(...packages.map((one) => ({ ...one, registry })));
          if (isCut)
            notices.push(
              saidBy(
                sentence`The registry ${registry.url} has found more than is shown. Search for more words.`,
              ),
            );
        } catch (error) {
          if (!isFault(error) || searched.length === 1) throw error;
          notices.push(saidBy(reasonOf(error)));
        }
      }
      // A name belongs to one registry: what another one says of it is left out, as it would never be fetched from there.
      const own = await Promise.all(
        found.map(async (one) => isSameRegistry((await this.settings.of(one.name)).url, one.registry.url)),
      );
      const all = found.filter((_, index) => own[index]).slice(0, mostFound);
      const shown = all.slice(page * pageSize, (page + 1) * pageSize);
      const rows = await sideBySideOf(shown, (one) => this.#row(session, one, { prerelease }));
      return {
        packages: withSimilarNames(rows, this.#state.ports.plugins.all()),
        total: all.length,
        page_count: Math.ceil(all.length / pageSize),
        notices,
      };
    });
  }

  /** Rejects with PARAM_INVALID, PACKAGE_NOT_FOUND or a fault of the registry. */
  package(name: string, wanted: Wanted): Promise<PackageReply> {
    checkWanted(name, wanted.version);
    return this.ask(async (session) => {
      const registry = await this.settings.of(name);
      const facts = await session.package(registry, name);
      const { plugins } = this.#state.ports;
      const platform = thisPlatform();
      const version = shownVersion(facts, platform, wanted);
      const trust = await trustIn(session, registry, name, version, platform);
      const reply = packageReply(facts, registry, version, platform, trust, plugins.all());
      const [row = reply.package] = withSimilarNames([reply.package], plugins.all());
      return { ...reply, package: row };
    });
  }

  /** A version of a package with everything that verifies it, for a mirror. */
  copy(name: string, wanted: Wanted): Promise<PackageCopy> {
    return this.ask((session) => copyPackage(session, this.settings, name, wanted));
  }

  /** What the last look has found, of what is still installed as it was then. */
  async outdated(): Promise<OutdatedReply> {
    const { time, plugins, profiles } = this.#outdated;
    const installed = profiles.length === 0 ? new Map<string, ProfileSummary>() : await this.#profiles.list();
    return {
      ...(time !== undefined && { time }),
      plugins: plugins.filter((one) => this.#state.ports.plugins.byId(one.plugin)?.version === one.installed),
      profiles: profiles.filter((one) => installed.get(one.profile)?.version === one.installed),
    };
  }

  /** Asks the registries for newer versions of what came from them. */
  async look(wanted: Wanted): Promise<OutdatedReply> {
    const plugins = this.#state.ports.plugins.all().filter(({ origin }) => origin !== undefined);
    const profiles = [...(await this.#profiles.list()).values()].filter(({ origin }) => origin !== undefined);
    const found =
      plugins.length + profiles.length === 0
        ? { plugins: [], profiles: [] }
        : await this.ask(async (session) => ({
            plugins: await sideBySideOf(plugins, (plugin) => this.#outdatedRow(session, plugin, wanted)),
            profiles: await sideBySideOf(profiles, (one) => outdatedProfile(session, this.settings, one)),
          }));
    this.#outdated = {
      time: Date.now(),
      plugins: found.plugins.filter((row) => row !== undefined),
      profiles: found.profiles.filter((row) => row !== undefined),
    };
    return this.#outdated;
  }

  /** Begins with what an admin has set to be done by itself. */
  start(): void {
    this.updates.start();
    this.trustRenewal.start();
  }

  async close(): Promise<void> {
    this.updates.close();
    this.#ending.abort();
    await this.trustRenewal.close();
    await this.jobs.close();
  }

  /** Opens a session for a question; a few run at the same time. Rejects with BUSY. */
  ask<T>(question: (session: RegistrySession) => Promise<T>): Promise<T> {
    return this.#asking.run(async () => {
      await using session = this.#registries.open(this.#ending.signal);
      return await question(session);
    }, mostAsking + mostWaiting);
  }

  /** A package whose facts cannot be had is shown with the reason. */
  async #row(
    session: RegistrySession,
    { registry, name, version, description }: FoundName & { readonly registry: Registry },
    wanted: Wanted,
  ): Promise<FoundPackage> {
    try {
      const facts = await session.package(registry, name);
      const platform = thisPlatform();
      const best = shownVersion(facts, platform, wanted);
      const installed = best.plugin && this.#state.ports.plugins.byId(best.plugin.id);
      const trust = await trustIn(session, registry, name, best, platform);
      return foundPackage(facts, registry, best, platform, trust, installed);
    } catch (error) {
      if (!isFault(error)) throw error;
      const unknown = { fits: false, ...reasonIn(reasonOf(error)), signed: false, attested: false };
      return { package: name, registry: registry.url, version, description, ...unknown };
    }
  }

  async #outdatedRow(
    session: RegistrySession,
    plugin: Plugin,
    wanted: Wanted,
  ): Promise<Outdated | undefined> {
    const { id, name, version: installed, origin } = plugin;
    if (origin === undefined) return undefined;
    const row = {
      plugin: id,
      name,
      package: origin.package,
      registry: origin.registry,
      installed,
      cautions: [],
    };
    try {
      const registry = await this.settings.of(origin.package);
      if (!isSameRegistry(registry.url, origin.registry)) {
        const message = sentence`It came from ${origin.registry}, and its package is now asked of ${registry.url}.`;
        return { ...row, ...saidBy(message) };
      }
      const facts = await session.package(registry, origin.package);
      const platform = thisPlatform();
      const newest = newestOf(facts, wanted);
      const fitting = newestFitting(facts, platform, wanted);
      const isNewer = fitting !== undefined && compare(fitting.version, installed) > 0;
      if (!isNewer && (newest === undefined || compare(newest.version, installed) <= 0)) return undefined;
      const trust = isNewer ? await trustIn(session, registry, facts.name, fitting, platform) : undefined;
      const reason = trust?.problem ?? (newest && unfitness(newest, platform));
      const { plugins } = this.#state.ports;
      const candidate = { name: facts.name, registry: registry.url, plugins: plugins.all() };
      return {
        ...row,
        ...(isNewer &&
          trust?.problem === undefined && {
            fitting: fitting.version,
            cautions: cautionsOf({ ...candidate, version: fitting, verified: trust }).map((one) => ({
              ...one,
              ...saidBy(one.message),
            })),
          }),
        ...(newest && { newest: newest.version }),
        ...(reason !== undefined && saidBy(reason)),
      };
    } catch (error) {
      if (!isFault(error)) throw error;
      return { ...row, ...saidBy(reasonOf(error)) };
    }
  }
}

/** Two scopes may lead to one registry. */
function distinct(registries: readonly Registry[]): Registry[] {
  return registries.filter(
    (one, index) => registries.findIndex(({ url }) => isSameRegistry(url, one.url)) === index,
  );
}

async function sideBySideOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  await Promise.all(
    Array.from({ length: sideBySide }, async () => {
      for (const [index, item] of entries) results[index] = await work(item);
    }),
  );
  return results;
}
