import type { FoundPackage, PackageReply, PackageVersion, Registry } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import type { PackageFacts, VersionFacts } from '../ports/registries.ts';
import { saidBy, type Sentence } from '../system/sentence.ts';
import type { Trust } from './trust.ts';
import { cautionsOf, conflictOf, isFrom } from './cautions.ts';
import { type Platform, unfitness } from './fitness.ts';
import { isPrerelease } from './versions.ts';

/** What is shown of a package: of one version of it, and what keeps that from being installed. */
export function foundPackage(
  facts: PackageFacts,
  { url }: Registry,
  version: VersionFacts,
  platform: Platform,
  { isSigned, attestedRepository, problem }: Trust,
  installed: Plugin | undefined,
): FoundPackage {
  const { description, author, publisher, time, plugin } = version;
  const reason = unfitness(version, platform) ?? problem;
  const isInstalled = installed !== undefined && isFrom(installed.origin, url, facts.name);
  return {
    package: facts.name,
    registry: url,
    version: version.version,
    ...(plugin && { plugin: plugin.id, kind: plugin.kind }),
    ...(plugin?.name !== undefined && { name: plugin.name }),
    ...(plugin?.native !== undefined && { native: plugin.native }),
    description,
    ...(author !== undefined && { author }),
    ...(publisher !== undefined && { publisher }),
    ...(time !== undefined && { time }),
    fits: reason === undefined,
    ...(reason !== undefined && reasonIn(reason)),
    signed: isSigned,
    attested: attestedRepository !== undefined,
    ...(attestedRepository !== undefined && { attested_repository: attestedRepository }),
    ...(isInstalled && { installed: installed.version }),
  };
}

/** Everything that the registry knows of a package, of which one version is looked at. */
export function packageReply(
  facts: PackageFacts,
  registry: Registry,
  version: VersionFacts,
  platform: Platform,
  trust: Trust,
  plugins: readonly Plugin[],
): PackageReply {
  const { homepage, repository, license, plugin } = version;
  const installed = plugin && plugins.find(({ id }) => id === plugin.id);
  const conflict = conflictOf(installed, registry.url, facts.name);
  return {
    package: foundPackage(facts, registry, version, platform, trust, installed),
    ...(homepage !== undefined && { homepage }),
    ...(repository !== undefined && { repository }),
    ...(license !== undefined && { license }),
    ...(plugin?.uses !== undefined && { uses: [...plugin.uses] }),
    versions: facts.versions.map((one) => packageVersion(one, platform)),
    ...(conflict !== undefined && { conflict: { ...conflict, ...saidBy(conflict.message) } }),
    cautions: cautionsOf({
      name: facts.name,
      registry: registry.url,
      version,
      verified: unfitness(version, platform) === undefined ? trust : undefined,
      plugins,
    }).map((one) => ({ ...one, ...saidBy(one.message) })),
  };
}

/** Why something does not fit, as rows say it. */
export function reasonIn(reason: Sentence | string): Pick<FoundPackage, 'reason' | 'sentence'> {
  const { message, ...more } = saidBy(reason);
  return { reason: message, ...more };
}

function packageVersion(one: VersionFacts, platform: Platform): PackageVersion {
  const { version, time, publisher, plugin, deprecated, size, signatures, isAttested } = one;
  const reason = unfitness(one, platform);
  return {
    version,
    ...(time !== undefined && { time }),
    ...(publisher !== undefined && { publisher }),
    ...(plugin && { sdk: plugin.sdk }),
    fits: reason === undefined,
    ...(reason !== undefined && reasonIn(reason)),
    ...(deprecated !== undefined && { deprecated }),
    prerelease: isPrerelease(one),
    signed: signatures.length > 0,
    attested: isAttested,
    ...(size !== undefined && { size }),
  };
}
