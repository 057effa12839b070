import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, type TrustMaterial } from '@sigstore/verify';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import type { Renewed } from '../messages.ts';
import { trustFile } from './trust-files.ts';

/** The text of the root that holds for a registry. */
export function rootText({ trust_root: text = '' }: Registry, renewed: Renewed | undefined): string {
  return text === '' ? trustFile('trusted_root.json', renewed) : text;
}

/** By the texts of roots. */
const known = new Map<string, TrustMaterial>();

/** The authorities and logs that attestations of a registry have to be from. Throws PARAM_INVALID for a text that is no root. */
export function trustOf(registry: Registry, renewed: Renewed | undefined): TrustMaterial {
  const text = rootText(registry, renewed);
  const made = known.get(text) ?? trustIn(text);
  known.set(text, made);
  return made;
}

/** Throws PARAM_INVALID for a text that is no root. */
export function trustIn(text: string): TrustMaterial {
  try {
    return toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(text)));
  } catch (cause) {
    throw new Refusal(
      ErrorCode.PARAM_INVALID,
      sentence`The trust root of the registry is none: it is JSON as the file trusted_root.json of sigstore has it.`,
      { cause },
    );
  }
}
