import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { initializeCA, initializeTLog } from '@sigstore/mock';
import type { Package } from '../kit/packages.ts';
import { CertificateLog } from './certificate-log.ts';

/** What an attestation says, where a test wants it otherwise than is so. */
export interface Said {
  readonly subject?: string;
  /** SHA-512 of the archive, in hexadecimal digits. */
  readonly digest?: string;
  /** Null: the certificate names none. */
  readonly repository?: string | null;
}

interface LogEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logIndex: number;
  readonly verification?: {
    readonly signedEntryTimestamp?: string;
    readonly inclusionProof?: {
      readonly logIndex: number;
      readonly treeSize: number;
      readonly rootHash: string;
      readonly checkpoint: string;
    };
  };
}

/** Object identifiers of sigstore's certificates: who vouches for the build, and the repository of its sources. */
const issuerId = '1.3.6.1.4.1.57264.1.8';
const repositoryId = '1.3.6.1.4.1.57264.1.12';
const provenance = 'https://slsa.dev/provenance/v1';

/** Makes attestations as npm has them, with an authority and logs of its own. */
export class Attester {
  /** The text of its trusted_root.json. */
  readonly root: string;
  readonly #authority: Awaited<ReturnType<typeof initializeCA>>;
  readonly #log: Awaited<ReturnType<typeof initializeTLog>>;

  private constructor(
    root: string,
    authority: Awaited<ReturnType<typeof initializeCA>>,
    log: Awaited<ReturnType<typeof initializeTLog>>,
  ) {
    this.root = root;
    this.#authority = authority;
    this.#log = log;
  }

  static async start(): Promise<Attester> {
    const certificates = new CertificateLog(ecPair('P-256'));
    const authority = await initializeCA(ecPair('P-384'), certificates);
    const logKeys = ecPair('P-256');
    const log = await initializeTLog('https://log.example', logKeys);
    const logKey = logKeys.publicKey.export({ type: 'spki', format: 'der' });
    const place = (rawBytes: Buffer): object => ({
      baseUrl: 'https://log.example',
      hashAlgorithm: 'SHA2_256',
      publicKey: {
        rawBytes: rawBytes.toString('base64'),
        keyDetails: 'PKIX_ECDSA_P256_SHA_256',
        validFor: { start: '2020-01-01T00:00:00Z' },
      },
      logId: { keyId: createHash('sha256').update(rawBytes).digest('base64') },
    });
    const root = {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [place(logKey)],
      ctlogs: [place(certificates.publicKey)],
      certificateAuthorities: [
        {
          subject: { organization: 'sigstore.mock', commonName: 'sigstore' },
          uri: 'https://authority.example',
          certChain: { certificates: [{ rawBytes: authority.rootCertificate.toString('base64') }] },
          validFor: { start: '2020-01-01T00:00:00Z' },
        },
      ],
      timestampAuthorities: [],
    };
    return new Attester(JSON.stringify(root), authority, log);
  }

  /** The reply of a registry that is asked for the attestations of a package. */
  async of({ name, version, archive }: Package, said: Said = {}): Promise<{ attestations: object[] }> {
    const {
      subject = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`,
      digest = createHash('sha512').update(archive).digest('hex'),
      repository = 'https://code.example/acme/meter',
    } = said;
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: subject, digest: { sha512: digest } }],
      predicateType: provenance,
      predicate: {},
    };
    return {
      attestations: [{ predicateType: provenance, bundle: await this.#bundle(statement, repository) }],
    };
  }

  async #bundle(statement: object, repository: string | null): Promise<object> {
    const { publicKey, privateKey } = ecPair('P-256');
    const certificate = await this.#authority.issueCertificate({
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      subjectAltName: 'https://code.example/acme/meter/publish.yml',
      extensions: [
        { oid: issuerId, value: 'https://builds.example' },
        ...(repository === null ? [] : [{ oid: repositoryId, value: repository }]),
      ],
    });
    const payloadType = 'application/vnd.in-toto+json';
    const payload = Buffer.from(JSON.stringify(statement));
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
      payload,
    ]);
    const sig = sign('sha256', signed, privateKey).toString('base64');
    const entries = (await this.#log.log({
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        payloadHash: { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') },
        signatures: [{ signature: sig, verifier: certificate.toString('base64') }],
      },
    })) as unknown as Readonly<Record<string, LogEntry>>;
    const [entry] = Object.values(entries);
    const proof = entry?.verification?.inclusionProof;
    if (entry === undefined || proof === undefined) throw new Error('The log has given no proof.');
    return {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: {
        certificate: { rawBytes: certificate.toString('base64') },
        tlogEntries: [
          {
            logIndex: String(entry.logIndex),
            logId: { keyId: createHash('sha256').update(this.#log.publicKey).digest('base64') },
            kindVersion: { kind: 'dsse', version: '0.0.1' },
            integratedTime: String(entry.integratedTime),
            inclusionProof: {
              logIndex: String(proof.logIndex),
              treeSize: String(proof.treeSize),
              rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
              hashes: [],
              checkpoint: { envelope: proof.checkpoint },
            },
            inclusionPromise: { signedEntryTimestamp: entry.verification?.signedEntryTimestamp ?? '' },
            canonicalizedBody: entry.body,
          },
        ],
      },
      dsseEnvelope: { payloadType, payload: payload.toString('base64'), signatures: [{ sig, keyid: '' }] },
    };
  }
}

function ecPair(namedCurve: string): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve });
}
