import { NodeType, type PackageContent, type PluginOrigin, type Registry } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import type { Archive, StagedLibrary } from '../ports/ports.ts';
import type { FetchedArchive, SignedVersion, Verified, VersionFacts } from '../ports/registries.ts';
import { plainText } from './plain-text.ts';
import type { FittingVersion } from './versions.ts';

/** Characters of a readme or of a list of changes. */
const longestText = 200_000;

/** A package, the registry that has it, and what it may take the place of. */
export interface Aim {
  readonly name: string;
  readonly registry: Registry;
  /** Of an update: what is installed. */
  readonly installed?: Plugin;
}

/** A version whose archive can be fetched and verified. */
export type FetchableVersion = VersionFacts & Pick<FittingVersion, 'archive' | 'integrity'>;

/** What is asked for of a version. */
export function signedOf(
  name: string,
  { version, time, archive, integrity, signatures, isAttested }: FetchableVersion,
): SignedVersion {
  return { name, version, ...(time !== undefined && { time }), archive, integrity, signatures, isAttested };
}

/** What is installed of it. */
export function archiveOf(
  { name, registry }: Aim,
  found: FittingVersion,
  verified: Verified,
  { content, sha512 }: FetchedArchive,
): Archive {
  return {
    library: `${found.plugin.id}-${found.version}.tgz`,
    content,
    origin: originOf(name, registry, found, verified, sha512),
  };
}

/** Where a package came from, as it is stored with what is installed. */
export function originOf(
  name: string,
  { url }: Registry,
  { version, publisher, repository: named }: VersionFacts,
  { attestedRepository }: Verified,
  sha512: string,
): PluginOrigin {
  const repository = attestedRepository ?? named;
  return {
    registry: url,
    package: name,
    version,
    sha512,
    ...(publisher !== undefined && { publisher }),
    ...(repository !== undefined && { repository }),
    ...(attestedRepository !== undefined && { attested: true }),
  };
}

/** What is shown of it. */
export async function contentOf(
  staged: StagedLibrary,
  { isSigned, attestedRepository }: Verified,
  { content, sha512 }: FetchedArchive,
): Promise<PackageContent> {
  const { plugin } = staged;
  const [readme, changes, manifest] = await Promise.all(
    ['README.md', 'CHANGELOG.md', 'plugin.json'].map((file) => staged.text(file, 2 * longestText)),
  );
  const { sdk } = JSON.parse(manifest ?? '{}') as { readonly sdk: string };
  return {
    version: plugin.version,
    sha512,
    size: content.length,
    plugin: plugin.id,
    name: plugin.name,
    kind: plugin.nodeType === NodeType.DRIVER ? 'driver' : 'app',
    description: plugin.description,
    description_zh: plugin.descriptionZh,
    sdk,
    ...(readme !== undefined && { readme: plainText(readme, longestText) }),
    ...(changes !== undefined && { changes: plainText(changes, longestText) }),
    settings: plugin.settingsSchema,
    signed: isSigned,
    ...(attestedRepository !== undefined && { attested_repository: attestedRepository }),
    signed_by_author: staged.isSigned,
  };
}
