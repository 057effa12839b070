import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The user-based security model: RFC 3414, RFC 3826 (AES) and RFC 7860 (SHA-2). */

interface AuthProtocol {
  readonly hash: string;
  /** Bytes of the digest in a message. */
  readonly digest: number;
}

/** By the number of the setting `auth_protocol`. */
const authProtocols: readonly (AuthProtocol | undefined)[] = [
  undefined,
  { hash: 'md5', digest: 12 },
  { hash: 'sha1', digest: 12 },
  { hash: 'sha224', digest: 16 },
  { hash: 'sha256', digest: 24 },
  { hash: 'sha384', digest: 32 },
  { hash: 'sha512', digest: 48 },
];

/** By the numbers of the setting `priv_protocol`. */
export const Privacy = { NONE: 0, DES: 1, AES_128: 2, AES_256: 3, AES_256_CISCO: 4 } as const;

/** Bits of the flags of a message. */
export const Flag = { AUTH: 1, PRIV: 2, REPORTABLE: 4 } as const;

export interface UserSettings {
  readonly user: string;
  readonly auth_protocol: number;
  readonly auth_password: string;
  readonly priv_protocol: number;
  readonly priv_password: string;
}

/** Bytes over which a password is repeated before it is hashed (RFC 3414, A.2). */
const stretched = 1 << 20;
/** Engines whose keys are kept. */
const mostEngines = 16;

/** The state of an engine at the moment of a message. */
export interface EngineMoment {
  readonly id: Buffer;
  readonly boots: number;
  readonly time: number;
}

/** The keys of a user at one engine. */
class LocalKeys {
  readonly auth: Buffer;
  readonly #privacy: () => Buffer;
  #kept: Buffer | undefined;

  constructor(auth: Buffer, privacy: () => Buffer) {
    this.auth = auth;
    this.#privacy = privacy;
  }

  /** Made when it is needed: the one of Cisco costs as much as a password. */
  get privacy(): Buffer {
    this.#kept ??= this.#privacy();
    return this.#kept;
  }
}

/** A user with its passwords, which signs and encrypts messages and checks those of others. */
export class User {
  readonly name: Buffer;
  /** The flags that all its messages have. */
  readonly level: number;
  readonly #auth: AuthProtocol | undefined;
  readonly #settings: UserSettings;
  readonly #engines = new Map<string, LocalKeys>();
  #authKey: Buffer | undefined;
  #privKey: Buffer | undefined;

  constructor(settings: UserSettings) {
    this.#settings = settings;
    this.name = Buffer.from(settings.user);
    this.#auth = authProtocols[settings.auth_protocol];
    const isPrivate = settings.priv_protocol !== Privacy.NONE;
    this.level = this.#auth === undefined ? 0 : Flag.AUTH | (isPrivate ? Flag.PRIV : 0);
  }

  /** Bytes of the digest in a message; 0: messages have none. */
  get digestSize(): number {
    return this.#auth?.digest ?? 0;
  }

  /** The digest of a message in which the place for it is zero. */
  digest(message: Uint8Array, engine: Buffer): Buffer {
    const { hash, digest } = this.#auth!;
    return createHmac(hash, this.#keys(engine).auth).update(message).digest().subarray(0, digest);
  }

  /** Whether `message[at, at + size)` is the digest of the message. The message is as before afterwards. */
  isAuthentic(message: Buffer, at: number, size: number, engine: Buffer): boolean {
    if (this.#auth === undefined || size !== this.#auth.digest) return false;
    const claimed = Buffer.from(message.subarray(at, at + size));
    message.fill(0, at, at + size);
    const digest = this.digest(message, engine);
    claimed.copy(message, at);
    return timingSafeEqual(claimed, digest);
  }

  encrypt(content: Buffer, engine: EngineMoment): { readonly data: Buffer; readonly salt: Buffer } {
    const salt = randomBytes(8);
    if (this.#settings.priv_protocol === Privacy.DES) {
      // Its first half is the boots of the engine, so that it differs after a restart (RFC 3414, 8.1.1.1).
      salt.writeUInt32BE(engine.boots >>> 0);
      const padded = Buffer.concat([content, Buffer.alloc((8 - (content.length % 8)) % 8)]);
      const [key, iv] = this.#des(engine.id, salt);
      const cipher = createCipheriv('des-ede3-cbc', key, iv).setAutoPadding(false);
      return { data: Buffer.concat([cipher.update(padded), cipher.final()]), salt };
    }
    const key = this.#keys(engine.id).privacy;
    const cipher = createCipheriv(aesOf(key), key, aesVector(engine, salt));
    return { data: Buffer.concat([cipher.update(content), cipher.final()]), salt };
  }

  /** The content of an encrypted message; undefined when it cannot be one. */
  decrypt(data: Buffer, salt: Buffer, engine: EngineMoment): Buffer | undefined {
    if (salt.length !== 8) return undefined;
    if (this.#settings.priv_protocol === Privacy.DES) {
      if (data.length % 8 !== 0) return undefined;
      const [key, iv] = this.#des(engine.id, salt);
      const decipher = createDecipheriv('des-ede3-cbc', key, iv).setAutoPadding(false);
      return Buffer.concat([decipher.update(data), decipher.final()]);
    }
    const key = this.#keys(engine.id).privacy;
    const decipher = createDecipheriv(aesOf(key), key, aesVector(engine, salt));
    return Buffer.concat([decipher.update(data), decipher.final()]);
  }

  /** DES as 3DES with the same key three times, because OpenSSL 3 has DES itself among its outdated algorithms, which Node does not load. */
  #des(engine: Buffer, salt: Buffer): readonly [key: Buffer, iv: Buffer] {
    const local = this.#keys(engine).privacy;
    const key = local.subarray(0, 8);
    const iv = Buffer.from(salt);
    for (let at = 0; at < 8; at++) iv[at] = salt[at]! ^ local[8 + at]!;
    return [Buffer.concat([key, key, key]), iv];
  }

  #keys(engine: Buffer): LocalKeys {
    const id = engine.toString('latin1');
    let keys = this.#engines.get(id);
    if (keys !== undefined) return keys;
    const { auth_password: auth, priv_password: priv, priv_protocol: protocol } = this.#settings;
    const { hash } = this.#auth!;
    this.#authKey ??= passwordKey(hash, auth);
    keys = new LocalKeys(localKey(hash, this.#authKey, engine), () => {
      this.#privKey ??= priv === auth ? this.#authKey! : passwordKey(hash, priv);
      return privacyKey(hash, localKey(hash, this.#privKey, engine), engine, protocol);
    });
    if (this.#engines.size >= mostEngines) this.#engines.delete(this.#engines.keys().next().value!);
    this.#engines.set(id, keys);
    return keys;
  }
}

function passwordKey(hash: string, password: string | Buffer): Buffer {
  return createHash(hash).update(Buffer.alloc(stretched, password)).digest();
}

function localKey(hash: string, key: Buffer, engine: Buffer): Buffer {
  return createHash(hash).update(key).update(engine).update(key).digest();
}

/**
 * A key as long as the protocol needs. AES with 256 bits is in no RFC: a key that is too short is continued by hashing what is there
 * (draft-blumenthal-aes-usm-04), or by taking it for a password (draft-reeder-snmpv3-usm-3desede-00, as Cisco does).
 */
function privacyKey(hash: string, local: Buffer, engine: Buffer, protocol: number): Buffer {
  const size = protocol >= Privacy.AES_256 ? 32 : 16;
  let key = local;
  let last = local;
  while (key.length < size) {
    last =
      protocol === Privacy.AES_256_CISCO
        ? localKey(hash, passwordKey(hash, last), engine)
        : createHash(hash).update(key).digest();
    key = Buffer.concat([key, last]);
  }
  return key.subarray(0, size);
}

function aesOf(key: Buffer): string {
  return key.length === 32 ? 'aes-256-cfb' : 'aes-128-cfb';
}

function aesVector({ boots, time }: EngineMoment, salt: Buffer): Buffer {
  const vector = Buffer.alloc(16);
  vector.writeUInt32BE(boots >>> 0);
  vector.writeUInt32BE(time >>> 0, 4);
  salt.copy(vector, 8);
  return vector;
}
