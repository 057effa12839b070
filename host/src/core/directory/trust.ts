import type { Registry } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { RegistrySession, VersionFacts, Verified } from '../ports/registries.ts';
import { reasonOf, type Sentence } from '../system/sentence.ts';
import { type Platform, unfitness } from './fitness.ts';
import { signedOf } from './package-archive.ts';
import type { FittingVersion } from './versions.ts';

/** What was verified of a version that is shown, or why that failed. Of one that does not fit nothing is verified. */
export type Trust = Verified & { readonly problem?: Sentence | string };

export async function trustIn(
  session: RegistrySession,
  registry: Registry,
  name: string,
  version: VersionFacts,
  platform: Platform,
): Promise<Trust> {
  if (unfitness(version, platform) !== undefined) return { isSigned: false };
  try {
    return await session.verify(registry, signedOf(name, version as FittingVersion));
  } catch (error) {
    if (!isFault(error)) throw error;
    return { isSigned: false, problem: reasonOf(error) };
  }
}
