import type { OutdatedProfile } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { compare, prerelease } from 'semver';
import type { FetchableVersion } from '../directory/package-archive.ts';
import { isSameRegistry, type RegistrySettings } from '../directory/registry-settings.ts';
import type { ProfileSummary } from '../ports/profiles.ts';
import type { PackageFacts, ProfileFacts, RegistrySession } from '../ports/registries.ts';
import { reasonOf, saidBy, sentence } from '../system/sentence.ts';

/** A version that can be installed. */
export type ProfileVersion = FetchableVersion & { readonly profile: ProfileFacts };

/** Releases that are not withdrawn and hold a profile, the newest first. */
export function profileVersions({ versions }: PackageFacts): ProfileVersion[] {
  return versions.filter(
    (one): one is ProfileVersion =>
      one.profile !== undefined &&
      one.archive !== undefined &&
      one.integrity !== undefined &&
      one.deprecated === undefined &&
      prerelease(one.version) === null,
  );
}

/** A profile of a registry that has a newer version there, or of which that cannot be found out; undefined for every other. */
export async function outdatedProfile(
  session: RegistrySession,
  settings: Pick<RegistrySettings, 'of'>,
  { id, name, version: installed, origin }: ProfileSummary,
): Promise<OutdatedProfile | undefined> {
  if (origin === undefined) return undefined;
  const row = { profile: id, name, package: origin.package, registry: origin.registry, installed };
  try {
    const registry = await settings.of(origin.package);
    if (!isSameRegistry(registry.url, origin.registry)) {
      const message = sentence`It came from ${origin.registry}, and its package is now asked of ${registry.url}.`;
      return { ...row, ...saidBy(message) };
    }
    const facts = await session.package(registry, origin.package);
    const newest = profileVersions(facts).find(({ profile }) => profile.id === id)?.version;
    return newest !== undefined && compare(newest, installed) > 0 ? { ...row, newest } : undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { ...row, ...saidBy(reasonOf(error)) };
  }
}
