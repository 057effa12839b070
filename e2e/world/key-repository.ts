import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import {
  Key,
  Metadata,
  MetaFile,
  Root,
  Signature,
  Snapshot,
  TargetFile,
  Targets,
  Timestamp,
} from '@tufjs/models';
import { Delegations } from '@tufjs/models/dist/delegations.js';
import { DelegatedRole, Role } from '@tufjs/models/dist/role.js';

/** What a repository says, where a test wants it otherwise than is so. */
export interface Lies {
  /** When the metadata end that are renewed most often. Default: in an hour. */
  readonly expires?: Date;
  /** Signs all but the root, in the place of the key that the root names. */
  readonly signer?: SigningKey;
}

export class SigningKey {
  readonly key: Key;
  readonly #private: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.#private = privateKey;
    const keyVal = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
    const keyID = createHash('sha256').update(keyVal).digest('hex');
    this.key = new Key({ keyID, keyType: 'ed25519', scheme: 'ed25519', keyVal: { public: keyVal } });
  }

  sign(data: Buffer): Signature {
    return new Signature({ keyID: this.key.keyID, sig: sign(null, data, this.#private).toString('hex') });
  }
}

const specVersion = '1.0.0';
/** As the repository of sigstore names it, within the folder of its registry. */
const keysTarget = Object.values(seeds)
  .flatMap(({ targets }) => Object.keys(targets))
  .map((name) => decodeURIComponent(name))
  .find((name) => name.endsWith('/keys.json'))!;
const keysRole = dirname(keysTarget);

/** A repository of The Update Framework on this machine, laid out as that of sigstore: keys of registries are a delegation. */
export class KeyRepository implements AsyncDisposable {
  /** All that it was asked. */
  readonly requests: string[] = [];
  /** By their paths. */
  files = new Map<string, Buffer>();
  /** The text of its first root. */
  readonly root: string;
  #version = 0;
  #rootVersion = 1;
  #rootKey = new SigningKey();
  readonly #onlineKey = new SigningKey();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      const file = this.files.get(path);
      if (file === undefined) response.writeHead(404).end();
      else response.end(file);
    });
    this.root = this.#rootText(1, [this.#rootKey]);
  }

  static async start(): Promise<KeyRepository> {
    const repository = new KeyRepository();
    await new Promise<void>((resolve) => repository.#server.listen(0, '127.0.0.1', resolve));
    return repository;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Puts a new state of its files there, which takes the place of the one before. */
  publish(
    trustedRoot: string,
    keys: string,
    { expires = inHours(1), signer = this.#onlineKey }: Lies = {},
  ): void {
    const version = ++this.#version;
    const about = { version, specVersion, expires: expires.toISOString() };
    const target = (path: string, text: string): TargetFile => {
      const content = Buffer.from(text);
      const hash = createHash('sha256').update(content).digest('hex');
      const slash = path.lastIndexOf('/') + 1;
      this.files.set(`/targets/${path.slice(0, slash)}${hash}.${path.slice(slash)}`, content);
      return new TargetFile({ path, length: content.length, hashes: { sha256: hash } });
    };
    const { key } = this.#onlineKey;
    const role = { keyIDs: [key.keyID], threshold: 1 };
    const delegations = new Delegations({
      keys: { [key.keyID]: key },
      roles: {
        [keysRole]: new DelegatedRole({
          ...role,
          name: keysRole,
          terminating: true,
          paths: [`${keysRole}/*`],
        }),
      },
    });
    const signed = {
      targets: new Targets({
        ...about,
        targets: { 'trusted_root.json': target('trusted_root.json', trustedRoot) },
        delegations,
      }),
      [keysRole]: new Targets({ ...about, targets: { [keysTarget]: target(keysTarget, keys) } }),
      snapshot: new Snapshot({
        ...about,
        meta: { 'targets.json': new MetaFile({ version }), [`${keysRole}.json`]: new MetaFile({ version }) },
      }),
      timestamp: new Timestamp({ ...about, snapshotMeta: new MetaFile({ version }) }),
    };
    for (const [name, one] of Object.entries(signed))
      this.files.set(
        name === 'timestamp' ? '/timestamp.json' : `/${version}.${name}.json`,
        signedBy(one, [signer]),
      );
  }

  /** Gives it another root key, whose root is signed by it and by the one before, or only by another one. */
  rotate(previous: SigningKey = this.#rootKey): void {
    this.#rootKey = new SigningKey();
    const version = ++this.#rootVersion;
    const text = this.#rootText(version, [this.#rootKey, previous]);
    this.files.set(`/${version}.root.json`, Buffer.from(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #rootText(version: number, signers: readonly SigningKey[]): string {
    const root = this.#rootKey.key;
    const online = this.#onlineKey.key;
    const role = (keyID: string): Role => new Role({ keyIDs: [keyID], threshold: 1 });
    return signedBy(
      new Root({
        version,
        specVersion,
        expires: inHours(1).toISOString(),
        keys: { [root.keyID]: root, [online.keyID]: online },
        roles: {
          root: role(root.keyID),
          timestamp: role(online.keyID),
          snapshot: role(online.keyID),
          targets: role(online.keyID),
        },
        consistentSnapshot: true,
      }),
      signers,
    ).toString();
  }
}

function signedBy(signed: Root | Targets | Snapshot | Timestamp, signers: readonly SigningKey[]): Buffer {
  const metadata = new Metadata(signed);
  for (const signer of signers) metadata.sign((data) => signer.sign(data));
  return Buffer.from(JSON.stringify(metadata.toJSON()));
}

export function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}
