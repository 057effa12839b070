import { ErrorCode, type DirectoryJobBody, type PackageCaution, type PackageConflict } from '@tagway/schemas';
import { PluginKind } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import type { Verified } from '../ports/registries.ts';
import { Refusal, saidBy, sentence } from '../system/sentence.ts';
import { cautionsOf, conflictOf } from './cautions.ts';
import type { Aim } from './package-archive.ts';
import type { FittingVersion } from './versions.ts';

/** What speaks against an installation, for the user who has to confirm it. */
export interface Objections {
  readonly conflict?: PackageConflict;
  readonly cautions?: PackageCaution[];
}

/**
 * Throws PLUGIN_FROM_ELSEWHERE or PACKAGE_CAUTIONS for what speaks against an installation and was not confirmed; `show` gets it before.
 * Returns whether the package takes the place of a plugin from elsewhere.
 */
export function checkObjections(
  { name, registry }: Aim,
  found: FittingVersion,
  verified: Verified,
  plugins: readonly Plugin[],
  { replaces, accepts = [] }: DirectoryJobBody,
  show: (objections: Objections) => void,
): boolean {
  const old = plugins.find(({ id }) => id === found.plugin.id);
  const conflict = conflictOf(old, registry.url, name);
  const isOurs = old?.kind === PluginKind.SYSTEM;
  if (conflict !== undefined && (isOurs || replaces !== conflict.plugin)) {
    show({ conflict: { ...conflict, ...saidBy(conflict.message) } });
    throw new Refusal(
      ErrorCode.PLUGIN_FROM_ELSEWHERE,
      isOurs
        ? sentence`${conflict.message} The package cannot take its place.`
        : sentence`${conflict.message} The package ${name} would get its nodes, with their secrets. If it is to take its place, name both: the package, and the plugin ${conflict.plugin} as what it replaces.`,
    );
  }
  const cautions = cautionsOf({ name, registry: registry.url, version: found, verified, plugins });
  const open = cautions.filter(({ kind }) => !accepts.includes(kind));
  if (open.length > 0) {
    show({ cautions: open.map((one) => ({ ...one, ...saidBy(one.message) })) });
    throw new Refusal(
      ErrorCode.PACKAGE_CAUTIONS,
      sentence`${open.map(({ message }) => message).reduce((all, one) => sentence`${all} ${one}`)} If that is as it should be, accept it: ${open.map(({ kind }) => kind).join(', ')}.`,
    );
  }
  return conflict !== undefined;
}
