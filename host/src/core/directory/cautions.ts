import type { PackageCaution, PackageConflict, PluginOrigin } from '@tagway/schemas';
import { PluginKind } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import { sentence, type Sentence } from '../system/sentence.ts';
import type { Verified, VersionFacts } from '../ports/registries.ts';
import { isSameRegistry } from './registry-settings.ts';
import { similarInstalled } from './similar-names.ts';

/** Whether a plugin came from this package of this registry. */
export function isFrom(origin: PluginOrigin | undefined, registry: string, name: string): boolean {
  return origin !== undefined && origin.package === name && isSameRegistry(origin.registry, registry);
}

/** Where a plugin came from, to complete the sentence "The plugin … ". */
export function cameFrom({ kind, origin }: Plugin): Sentence {
  if (kind === PluginKind.SYSTEM) return sentence`comes with the gateway`;
  if (origin === undefined) return sentence`was installed from a file`;
  return sentence`was installed from the package ${origin.package} of the registry ${origin.registry}`;
}

/** A plugin of the same id from elsewhere, and where that came from. */
export type Conflict = Omit<PackageConflict, 'message' | 'sentence'> & { readonly message: Sentence };
export type Caution = Omit<PackageCaution, 'message' | 'sentence'> & { readonly message: Sentence };

/** Why a package may not simply take the place of the plugin that has its id; undefined where it came from the package, or there is none. */
export function conflictOf(
  installed: Plugin | undefined,
  registry: string,
  name: string,
): Conflict | undefined {
  if (installed === undefined || isFrom(installed.origin, registry, name)) return undefined;
  return {
    plugin: installed.id,
    message: sentence`A plugin "${installed.name}" with the id ${installed.id} is there already, which ${cameFrom(installed)}.`,
  };
}

/** A version of a package that is shown or is to be installed. */
interface Candidate {
  readonly name: string;
  /** Address of the registry. */
  readonly registry: string;
  readonly version: VersionFacts;
  /** Absent where it does not fit, so that nothing was verified. */
  readonly verified: Verified | undefined;
  /** Those that are installed. */
  readonly plugins: readonly Plugin[];
}

/** What an engineer has to confirm: what has changed of a package since the version that is installed, or a name like that of another one. */
export function cautionsOf({ name, registry, version, verified, plugins }: Candidate): Caution[] {
  const installed = plugins.find(({ id }) => id === version.plugin?.id);
  if (installed !== undefined && isFrom(installed.origin, registry, name))
    return changesSince(installed.origin!, version, verified);
  const other = installed === undefined ? similarInstalled(name, plugins) : undefined;
  if (other === undefined) return [];
  return [
    {
      kind: 'name',
      message: sentence`The name of the package ${name} can be taken for ${other}, which is installed: is it the one that is meant?`,
    },
  ];
}

function changesSince(
  origin: PluginOrigin,
  version: VersionFacts,
  verified: Verified | undefined,
): Caution[] {
  const cautions: Caution[] = [];
  const { publisher, repository } = origin;
  if (publisher !== undefined && version.publisher !== publisher)
    cautions.push({
      kind: 'publisher',
      message: sentence`Version ${version.version} was published by ${version.publisher ?? sentence`somebody who is not named`}, and version ${origin.version}, which is installed, by ${publisher}.`,
    });
  if (origin.attested === true && verified !== undefined && verified.attestedRepository === undefined)
    cautions.push({
      kind: 'attestation',
      message: sentence`Version ${version.version} has no attestation of the sources that it was built from, and version ${origin.version}, which is installed, has one.`,
    });
  const sources = verified?.attestedRepository ?? version.repository;
  if (repository !== undefined && sources !== repository)
    cautions.push({
      kind: 'repository',
      message: sentence`The sources of version ${version.version} are at ${sources ?? sentence`no place that is named`}, and those of version ${origin.version}, which is installed, at ${repository}.`,
    });
  return cautions;
}
