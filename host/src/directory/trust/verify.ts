import type { SignedVersion, Verified } from '../../core/ports/registries.ts';
import { verifyAttestation } from './attestation.ts';
import { verifySignatures } from './registry-signature.ts';
import type { Renewed } from '../messages.ts';
import type { Source } from '../source.ts';

/** Verifies what a registry and the place of the build have signed of a version. Rejects with PACKAGE_UNTRUSTED, or another fault. */
export async function verifyVersion(
  source: Source,
  version: SignedVersion,
  renewed: Renewed | undefined,
): Promise<Verified> {
  const isSigned = verifySignatures(source.registry, version, renewed);
  const repository = await verifyAttestation(source, version, renewed);
  return { isSigned, ...(repository !== undefined && { attestedRepository: repository }) };
}
