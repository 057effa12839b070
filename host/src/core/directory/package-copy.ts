import { ErrorCode } from '@tagway/schemas';
import type { Collected, RegistrySession } from '../ports/registries.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { signedOf } from './package-archive.ts';
import type { RegistrySettings } from './registry-settings.ts';
import { checkWanted, type FittingVersion, isInstallable, versionToCopy, type Wanted } from './versions.ts';

/** A version of a package with everything that a gateway needs for installing it without the network. */
export interface PackageCopy extends Collected {
  readonly name: string;
  /** Address of the registry that it is from. */
  readonly registry: string;
  readonly version: FittingVersion;
  readonly content: Uint8Array;
}

/** Whether the version fits this machine does not count: it is for another one. Rejects with the faults of an install. */
export async function copyPackage(
  session: RegistrySession,
  settings: RegistrySettings,
  name: string,
  wanted: Wanted,
): Promise<PackageCopy> {
  checkWanted(name, wanted.version);
  const registry = await settings.of(name);
  const version = versionToCopy(await session.package(registry, name), wanted);
  if (!isInstallable(version))
    throw new Refusal(
      ErrorCode.PACKAGE_UNFIT,
      sentence`Version ${version.version} of the package ${name} is no plugin that a gateway installs: its registry does not say which plugin is in it, or gives no SHA-512.`,
    );
  const signed = signedOf(name, version);
  await session.verify(registry, signed);
  const collected = await session.collect(registry, signed);
  const { content } = await session.archive(registry, signed, () => undefined);
  return { ...collected, name, registry: registry.url, version, content };
}
