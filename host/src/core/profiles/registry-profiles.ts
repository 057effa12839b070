import { ErrorCode, profileKeyword, type Registry, type RegistryProfile } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { Directory } from '../directory/directory.ts';
import { originOf, signedOf } from '../directory/package-archive.ts';
import { isSameRegistry, isSearched } from '../directory/registry-settings.ts';
import { checkWanted } from '../directory/versions.ts';
import type { Plugins } from '../ports/ports.ts';
import type { InstalledProfile } from '../ports/profiles.ts';
import type { ProfileFacts } from '../ports/registries.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { profileVersions, type ProfileVersion } from './profile-versions.ts';
import type { Profiles } from './profiles.ts';

/** Packages that a search shows at most: each costs a question. */
const mostFound = 30;

/** What is to be installed, and what somebody has confirmed. */
export interface ProfilePackage {
  readonly package: string;
  /** Absent: the newest release. */
  readonly version?: string | undefined;
  /** Id of the profile from elsewhere whose place it may take. */
  readonly replaces?: string | undefined;
  /** Another publisher than that of the installed version is as it should be. */
  readonly acceptsPublisher?: boolean | undefined;
}

/** Finds device profiles in the registries of plugins, installs them, and brings later versions of them. */
export class RegistryProfiles {
  readonly #directory: Directory;
  readonly #profiles: Profiles;
  readonly #plugins: Plugins;

  constructor(directory: Directory, profiles: Profiles, plugins: Plugins) {
    this.#directory = directory;
    this.#profiles = profiles;
    this.#plugins = plugins;
  }

  /** Profiles that fit words, in the registries that take a search. One that does not answer costs its own packages. */
  search(words: string): Promise<RegistryProfile[]> {
    const { settings } = this.#directory;
    return this.#directory.ask(async (session) => {
      const searched = (await settings.all()).filter(isSearched);
      const found = new Map<string, RegistryProfile>();
      for (const registry of searched)
        try {
          const { packages } = await session.search(registry, words, mostFound, profileKeyword);
          for (const { name } of packages) {
            // A name belongs to one registry: what another one says of it is left out.
            if (found.size === mostFound || !isSameRegistry((await settings.of(name)).url, registry.url))
              continue;
            const facts = await session.package(registry, name);
            const newest = profileVersions(facts)[0];
            if (newest !== undefined) found.set(name, this.#row(name, registry, newest));
          }
        } catch (error) {
          if (!isFault(error) || searched.length === 1) throw error;
        }
      return [...found.values()];
    });
  }

  /**
   * Installs a profile from its registry, or a later version of it. Resolves with the ids of the plugins that it is for if none of them is
   * installed: they are for somebody to confirm. Rejects with PACKAGE_NOT_FOUND, PLUGIN_FROM_ELSEWHERE, PACKAGE_CAUTIONS or PROFILE_INVALID.
   */
  async install(
    wish: ProfilePackage,
  ): Promise<{ readonly id: string; readonly version: string; readonly missing: string[] }> {
    const { package: name, version: wanted } = wish;
    checkWanted(name, wanted);
    return await this.#directory.ask(async (session) => {
      const registry = await this.#directory.settings.of(name);
      const facts = await session.package(registry, name);
      const found = profileVersions(facts).find(({ version }) => wanted === undefined || version === wanted);
      if (found === undefined)
        throw new Refusal(
          ErrorCode.PACKAGE_NOT_FOUND,
          sentence`The package ${name} has no version that is a device profile which can be installed.`,
        );
      const { version, profile } = found;
      checkConflict(wish, registry, found, await this.#installed(profile.id));
      const signed = signedOf(name, found);
      const verified = await session.verify(registry, signed);
      const fetched = await session.archive(registry, signed, () => undefined);
      const origin = originOf(name, registry, found, verified, fetched.sha512);
      await this.#profiles.install({ content: fetched.content, origin }, async ({ files, packageJson }) => {
        const isSame =
          packageJson?.['name'] === name &&
          files.profile.version === version &&
          files.profile.id === profile.id;
        if (!isSame)
          throw new Refusal(
            ErrorCode.PACKAGE_UNTRUSTED,
            sentence`The archive of version ${version} of the package ${name} holds another device profile than its registry says. It is not installed.`,
          );
      });
      return { id: profile.id, version, missing: this.#missing(profile) };
    });
  }

  async #installed(id: string): Promise<InstalledProfile | undefined> {
    return (await this.#profiles.list()).some((one) => one.id === id)
      ? await this.#profiles.get(id)
      : undefined;
  }

  #missing({ plugins }: ProfileFacts): string[] {
    const isThere = plugins.some((id) => this.#plugins.byId(id) !== undefined);
    return isThere ? [] : [...plugins];
  }

  #row(
    name: string,
    { url }: Registry,
    { version, description, publisher, profile }: ProfileVersion,
  ): RegistryProfile {
    return {
      package: name,
      registry: url,
      version,
      profile: profile.id,
      description,
      ...(publisher !== undefined && { publisher }),
      missing: this.#missing(profile),
    };
  }
}

function checkConflict(
  { package: name, replaces, acceptsPublisher = false }: ProfilePackage,
  { url }: Registry,
  { publisher, version, profile: { id } }: ProfileVersion,
  old: InstalledProfile | undefined,
): void {
  if (old === undefined) return;
  const { origin } = old;
  if (origin === undefined || origin.package !== name || !isSameRegistry(origin.registry, url)) {
    if (replaces === id) return;
    throw new Refusal(
      ErrorCode.PLUGIN_FROM_ELSEWHERE,
      sentence`A device profile "${id}" is there already, which came from elsewhere. If the package ${name} is to take its place, name the profile as what it replaces.`,
    );
  }
  if (origin.publisher === publisher || acceptsPublisher) return;
  throw new Refusal(
    ErrorCode.PACKAGE_CAUTIONS,
    sentence`Version ${version} of the package ${name} was published by ${publisher ?? '-'}, and version ${origin.version}, which is installed, by ${origin.publisher ?? '-'}. If that is as it should be, accept it: publisher.`,
  );
}
