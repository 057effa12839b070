import type { Registry } from '@tagway/schemas';
import type { SignedVersion, Verified } from '../core/ports/registries.ts';
import { verifyAttestation } from './attestation.ts';
import { verifySignatures } from './registry-signature.ts';

/** Verifies what a registry and the place of the build have signed of a version. Rejects with PACKAGE_UNTRUSTED, or another fault. */
export async function verifyVersion(
  registry: Registry,
  version: SignedVersion,
  signal: AbortSignal,
): Promise<Verified> {
  const isSigned = verifySignatures(registry, version);
  const repository = await verifyAttestation(registry, version, signal);
  return { isSigned, ...(repository !== undefined && { attestedRepository: repository }) };
}
