import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a server of SCRAM chooses; a test of an example gives what that has. */
export interface Choice {
  readonly salt: Buffer;
  readonly nonce: string;
}

/** The server's side of one login by SCRAM (RFC 5802), written from the RFC for the tests. */
export class ScramServer {
  readonly #hash: 'sha256' | 'sha512';
  readonly #passwords: ReadonlyMap<string, string>;
  readonly #choice: Choice;
  #password: string | undefined;
  #bare = '';
  #first = '';

  constructor(
    hash: 'sha256' | 'sha512',
    passwords: ReadonlyMap<string, string>,
    choice: Choice = { salt: randomBytes(16), nonce: randomBytes(15).toString('base64') },
  ) {
    this.#hash = hash;
    this.#passwords = passwords;
    this.#choice = choice;
  }

  /** The answer to the client's first message. */
  first(message: string): string {
    const [, bare = '', user = '', nonce = ''] = /^n,,(n=([^,]*),r=([^,]+))$/.exec(message) ?? [];
    this.#bare = bare;
    this.#password = this.#passwords.get(user.replaceAll('=2C', ',').replaceAll('=3D', '='));
    this.#first = `r=${nonce}${this.#choice.nonce},s=${this.#choice.salt.toString('base64')},i=4096`;
    return this.#first;
  }

  /** The answer to the client's last message; undefined: its proof is wrong. */
  last(message: string): string | undefined {
    const [, withoutProof = '', nonce = '', proof = ''] = /^(c=biws,r=([^,]+)),p=(.+)$/.exec(message) ?? [];
    if (this.#password === undefined || !this.#first.startsWith(`r=${nonce},`)) return undefined;
    const hash = this.#hash;
    const length = hash === 'sha256' ? 32 : 64;
    const salted = pbkdf2Sync(this.#password, this.#choice.salt, 4096, length, hash);
    const mac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
    const exchanged = `${this.#bare},${this.#first},${withoutProof}`;
    const stored = createHash(hash).update(mac(salted, 'Client Key')).digest();
    const signature = mac(stored, exchanged);
    const given = Buffer.from(proof, 'base64');
    if (given.length !== length) return undefined;
    // Who knows the client's key has the proof; the server knows only its hash.
    const key = given.map((byte, index) => byte ^ signature[index]!);
    if (!timingSafeEqual(createHash(hash).update(key).digest(), stored)) return undefined;
    return `v=${mac(mac(salted, 'Server Key'), exchanged).toString('base64')}`;
  }
}
