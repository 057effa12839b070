import type { PackageCaution, PackageConflict, PluginOrigin } from '@tagway/schemas';
import { PluginKind } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import type { VersionFacts } from '../ports/registries.ts';
import { isSameRegistry } from './registry-settings.ts';

/** Whether a plugin came from this package of this registry. */
export function isFrom(origin: PluginOrigin | undefined, registry: string, name: string): boolean {
  return origin !== undefined && origin.package === name && isSameRegistry(origin.registry, registry);
}

/** Where a plugin came from, to complete the sentence "The plugin … ". */
export function cameFrom({ kind, origin }: Plugin): string {
  if (kind === PluginKind.SYSTEM) return 'comes with the gateway';
  if (origin === undefined) return 'was installed from a file';
  return `was installed from the package ${origin.package} of the registry ${origin.registry}`;
}

/** Why a package may not simply take the place of the plugin that has its id; undefined where it came from the package, or there is none. */
export function conflictOf(
  installed: Plugin | undefined,
  registry: string,
  name: string,
): PackageConflict | undefined {
  if (installed === undefined || isFrom(installed.origin, registry, name)) return undefined;
  return {
    plugin: installed.id,
    message: `A plugin "${installed.name}" with the id ${installed.id} is there already, which ${cameFrom(installed)}.`,
  };
}

/** What has changed of a package since the version that is installed. */
export function cautionsOf(origin: PluginOrigin | undefined, version: VersionFacts): PackageCaution[] {
  const cautions: PackageCaution[] = [];
  if (origin === undefined) return cautions;
  const { publisher, repository } = origin;
  if (publisher !== undefined && version.publisher !== publisher)
    cautions.push({
      kind: 'publisher',
      message: `Version ${version.version} was published by ${version.publisher ?? 'somebody who is not named'}, and version ${origin.version}, which is installed, by ${publisher}.`,
    });
  if (repository !== undefined && version.repository !== repository)
    cautions.push({
      kind: 'repository',
      message: `The sources of version ${version.version} are at ${version.repository ?? 'no place that is named'}, and those of version ${origin.version}, which is installed, at ${repository}.`,
    });
  return cautions;
}
