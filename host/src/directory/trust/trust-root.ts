import { TrustedRoot } from '@sigstore/protobuf-specs';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { toTrustMaterial, type TrustMaterial } from '@sigstore/verify';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** The file of that name among what comes with npm's libraries, which were signed by the keys of sigstore. */
export function seed(name: string): unknown {
  for (const { targets } of Object.values(seeds)) {
    const [, packed] = Object.entries(targets).find(([one]) => one.endsWith(name)) ?? [];
    if (packed !== undefined) return JSON.parse(Buffer.from(packed, 'base64').toString());
  }
  throw new Error(`There is no ${name} among the seeds.`);
}

/** The text of the root that holds for a registry. */
export function rootText({ trust_root: text = '' }: Registry): string {
  return text === '' ? JSON.stringify(seed('trusted_root.json')) : text;
}

/** By the texts of roots. */
const known = new Map<string, TrustMaterial>();

/** The authorities and logs that attestations of a registry have to be from. Throws PARAM_INVALID for a text that is no root. */
export function trustOf(registry: Registry): TrustMaterial {
  const text = rootText(registry);
  const made = known.get(text) ?? trustIn(text);
  known.set(text, made);
  return made;
}

function trustIn(text: string): TrustMaterial {
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
