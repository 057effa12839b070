import { ErrorCode } from '@tagway/schemas';
import { Refusal, sentence, type Sentence } from '../system/sentence.ts';
import { prerelease, valid } from 'semver';
import { type Platform, unfitness } from './fitness.ts';
import type { PackageFacts, PluginFacts, VersionFacts } from '../ports/registries.ts';

/** A version that can be installed. */
export type FittingVersion = VersionFacts & {
  readonly plugin: PluginFacts;
  readonly archive: string;
  readonly integrity: string;
};

/** Which versions of a package are meant. */
export interface Wanted {
  /** This one alone. */
  readonly version?: string | undefined;
  /** Versions before a release count, too, when none is named. */
  readonly prerelease?: boolean | undefined;
}

export const isPrerelease = ({ version }: VersionFacts): boolean => prerelease(version) !== null;

function fits(version: VersionFacts, platform: Platform): version is FittingVersion {
  return unfitness(version, platform) === undefined;
}

/** The newest version that is meant and fits; undefined where none is. */
export function newestFitting(
  { versions }: PackageFacts,
  platform: Platform,
  wanted: Wanted,
): FittingVersion | undefined {
  return versions.find((one): one is FittingVersion => isMeant(one, wanted) && fits(one, platform));
}

/** The newest version that is meant, whether it fits or not. */
export function newestOf({ versions }: PackageFacts, wanted: Wanted): VersionFacts | undefined {
  return versions.find((one) => isMeant(one, wanted));
}

/** The version to show of a package: the newest one that fits, or the newest one. Throws PACKAGE_NOT_FOUND where there is none. */
export function shownVersion(facts: PackageFacts, platform: Platform, wanted: Wanted): VersionFacts {
  return newestFitting(facts, platform, wanted) ?? newestOf(facts, wanted) ?? none(facts, wanted);
}

/** The version to install. Throws PACKAGE_NOT_FOUND, or PACKAGE_UNFIT with the reason of the newest one. */
export function versionToInstall(facts: PackageFacts, platform: Platform, wanted: Wanted): FittingVersion {
  const found = newestFitting(facts, platform, wanted);
  if (found !== undefined) return found;
  const newest = shownVersion(facts, platform, wanted);
  throw new Refusal(
    ErrorCode.PACKAGE_UNFIT,
    sentence`Version ${newest.version} of the package ${facts.name} cannot be installed here. ${unfitness(newest, platform) ?? ''}`,
  );
}

/** The newest version that is meant, for another machine than this one. Throws PACKAGE_NOT_FOUND where there is none. */
export function versionToCopy(facts: PackageFacts, wanted: Wanted): VersionFacts {
  return newestOf(facts, wanted) ?? none(facts, wanted);
}

/** Whether everything is known of a version that an installation needs. */
export function isInstallable(version: VersionFacts): version is FittingVersion {
  const { plugin, archive, integrity } = version;
  return plugin !== undefined && archive !== undefined && integrity !== undefined;
}

function isMeant(one: VersionFacts, { version, prerelease: early = false }: Wanted): boolean {
  if (version !== undefined) return one.version === version;
  return one.deprecated === undefined && (early || !isPrerelease(one));
}

function none({ name, versions }: PackageFacts, { version }: Wanted): never {
  const [newest] = versions;
  throw new Refusal(ErrorCode.PACKAGE_NOT_FOUND, reason());

  function reason(): Sentence {
    if (version !== undefined)
      return sentence`The package ${name} has no version ${version}, or has it no more.`;
    return newest === undefined
      ? sentence`The package ${name} has no version that is a release and not withdrawn.`
      : sentence`The package ${name} has no version that is a release and not withdrawn; its newest one is ${newest.version}.`;
  }
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Throws PARAM_INVALID for what cannot be the name of a package, or a version of one. */
export function checkWanted(name: string, version?: string): void {
  if (!packageName.test(name) || name.length > 214)
    throw new Refusal(
      ErrorCode.PARAM_INVALID,
      sentence`"${name.slice(0, 100)}" is not the name of a package, such as tagway-meter or @acme/tagway-meter.`,
    );
  if (version !== undefined && valid(version) !== version)
    throw new Refusal(ErrorCode.PARAM_INVALID, sentence`"${version}" is not a version, such as 1.2.0.`);
}
