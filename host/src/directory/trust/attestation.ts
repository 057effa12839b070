import { bundleFromJSON } from '@sigstore/bundle';
import { ASN1Obj } from '@sigstore/core';
import { type Signer, toSignedEntity, type TrustMaterial, Verifier } from '@sigstore/verify';
import { ErrorCode } from '@tagway/schemas';
import type { SignedVersion } from '../../core/ports/registries.ts';
import { Refusal, sentence, type Sentence } from '../../core/system/sentence.ts';
import { isObject, isText } from '../../core/system/shapes.ts';
import { addressOf } from '../facts.ts';
import type { Renewed } from '../messages.ts';
import type { Source } from '../source.ts';
import { trustOf } from './trust-root.ts';

const mostAttestations = 10;
const provenance = 'https://slsa.dev/provenance/';
const statementType = 'application/vnd.in-toto+json';
/** The repository of the sources, in a certificate of sigstore: what the place of the build has vouched for. */
const sourceRepository = '1.3.6.1.4.1.57264.1.12';

/**
 * Verifies the statements of where a version was built and from which sources, without the network but for asking the registry for them.
 * Gives the repository of the sources; undefined where the registry has no statement, which npm's libraries would pass over. Rejects with
 * PACKAGE_UNTRUSTED for one that is not good, and where there has to be one.
 */
export async function verifyAttestation(
  source: Source,
  version: SignedVersion,
  renewed: Renewed | undefined,
): Promise<string | undefined> {
  const { registry } = source;
  const bundles = version.isAttested ? bundlesIn(await source.attestations(version)) : [];
  if (bundles.length > 0) {
    const trust = trustOf(registry, renewed);
    return bundles.map((bundle) => repositoryIn(trust, version, bundle)).at(0);
  }
  if (registry.require_attestation !== true) return undefined;
  throw untrusted(
    version,
    sentence`has no attestation of its sources, and the registry ${registry.url} is set so that one is required`,
  );
}

function bundlesIn(attestations: unknown): readonly unknown[] {
  return (Array.isArray(attestations) ? attestations.slice(0, mostAttestations) : []).flatMap(
    (one: unknown) =>
      isObject(one) && isText(one['predicateType']) && one['predicateType'].startsWith(provenance)
        ? [one['bundle']]
        : [],
  );
}

/** Throws PACKAGE_UNTRUSTED. What was received is not named. */
function repositoryIn(trust: TrustMaterial, version: SignedVersion, json: unknown): string {
  let signer: Signer;
  let statement: unknown;
  try {
    const bundle = bundleFromJSON(json);
    signer = new Verifier(trust).verify(toSignedEntity(bundle));
    const { content } = bundle;
    if (content.$case === 'dsseEnvelope' && content.dsseEnvelope.payloadType === statementType)
      statement = JSON.parse(content.dsseEnvelope.payload.toString());
  } catch (error) {
    throw untrusted(version, sentence`has an attestation that is not good: ${meaningOf(error)}`);
  }
  checkSubject(version, statement);
  const repository = addressOf(textIn(signer));
  if (repository !== undefined) return repository;
  throw untrusted(
    version,
    sentence`has an attestation that is not good: its certificate names no repository, so that it says nothing of the sources`,
  );
}

function checkSubject(version: SignedVersion, statement: unknown): void {
  const own = isObject(statement) ? statement : {};
  const subjects = Array.isArray(own['subject']) ? (own['subject'] as unknown[]).filter(isObject) : [];
  const predicate = own['predicateType'];
  const isProvenance = isText(predicate) && predicate.startsWith(provenance);
  const name = `pkg:npm/${version.name.replace(/^@/, '%40')}@${version.version}`;
  const named = subjects.filter((subject) => subject['name'] === name);
  if (!isProvenance || named.length === 0)
    throw untrusted(version, sentence`has an attestation that is not good: it is for something else`);
  const sha512 = /(?:^|\s)sha512-(\S+)/.exec(version.integrity)?.[1] ?? '';
  const hex = Buffer.from(sha512, 'base64').toString('hex');
  const fits = ({ digest }: Readonly<Record<string, unknown>>): boolean =>
    hex !== '' && isObject(digest) && digest['sha512'] === hex;
  if (!named.every(fits))
    throw untrusted(version, sentence`has an attestation that is not good: it is for another archive`);
}

function textIn({ identity }: Signer): string | undefined {
  const found = identity?.oids?.find(({ oid }) => oid?.id.join('.') === sourceRepository);
  if (found === undefined) return undefined;
  try {
    return ASN1Obj.parseBuffer(Buffer.from(found.value)).value.toString();
  } catch {
    return undefined;
  }
}

/** What the codes of npm's library mean, to complete "an attestation that is not good: …". */
function meaningOf(error: unknown): Sentence {
  const { code = '' } = error as { readonly code?: string };
  if (/^(CERTIFICATE|PUBLIC_KEY)/.test(code))
    return sentence`it is by nobody whom an authority of the trust root has certified`;
  if (/^TLOG/.test(code)) return sentence`it is in no log of the trust root`;
  if (/^TIMESTAMP/.test(code)) return sentence`nothing proves when it was made`;
  if (/^SIGNATURE/.test(code)) return sentence`it was altered after it was signed`;
  return sentence`it does not have the form of an attestation`;
}

function untrusted({ name, version }: SignedVersion, what: Sentence): Refusal {
  return new Refusal(
    ErrorCode.PACKAGE_UNTRUSTED,
    sentence`Version ${version} of the package ${name} ${what}. It is not installed.`,
  );
}
