import type { Manifest, PackageMember } from '@tagway/schemas';
import type { PackageJson, Platforms } from './library.ts';

/** The keyword by which gateways find plugins in a registry. */
export const pluginKeyword = 'tagway-plugin';

/** The keywords of the packed package: the author's, behind the one that makes it a plugin. */
export function keywordsOf({ keywords = [] }: PackageJson): string[] {
  return [...new Set([pluginKeyword, ...keywords])];
}

/** The member `tagway` of the packed package.json: what a gateway shows of the plugin before it fetches the archive. */
export function memberOf(
  { id, name, kind, sdk, native = false, uses }: Manifest,
  { os, cpu, libc }: PackageJson,
): PackageMember {
  return {
    id,
    name,
    kind,
    sdk,
    native,
    ...(uses !== undefined && { uses }),
    ...(os !== undefined && { os: listOf(os) }),
    ...(cpu !== undefined && { cpu: listOf(cpu) }),
    ...(libc !== undefined && { libc: listOf(libc) }),
  };
}

const listOf = (platforms: Platforms): string[] =>
  typeof platforms === 'string' ? [platforms] : [...platforms];
