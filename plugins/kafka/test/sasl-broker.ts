import { ScramServer } from './scram-server.ts';

const apiVersions = 18;
const saslHandshake = 17;
const saslAuthenticate = 36;
const unsupportedMechanism = 33;
const authenticationFailed = 58;

export interface Users {
  /** Of users; of OAUTHBEARER, the tokens that are good. */
  readonly passwords: ReadonlyMap<string, string>;
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER';
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function framed(...parts: readonly Buffer[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...parts]);
}

/** A text or bytes of fewer than 127 bytes, or of fewer than 16383, as versions with tagged fields write them. */
function compact(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const size = bytes.length + 1;
  const head = size < 128 ? [size] : [(size & 0x7f) | 0x80, size >> 7];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** The login of a broker on one connection: before it nothing but the versions is answered. */
export class SaslBroker {
  readonly #users: Users;
  readonly #scram: ScramServer;
  #step: 'handshake' | 'first' | 'last' | 'done' = 'handshake';

  constructor(users: Users) {
    this.#users = users;
    this.#scram = new ScramServer(users.mechanism.endsWith('512') ? 'sha512' : 'sha256', users.passwords);
  }

  /** Undefined: the request is for the cluster. A connection that asks for something else than to log in is closed. */
  answer(request: Buffer): Buffer | 'refused' | undefined {
    const kind = request.readInt16BE(4);
    if (this.#step === 'done' || kind === apiVersions) return undefined;
    const body = request.subarray(14 + Math.max(request.readInt16BE(12), 0));
    const number = request.subarray(8, 12);
    if (kind === saslHandshake && this.#step === 'handshake') {
      const { mechanism } = this.#users;
      const isKnown = body.toString('latin1', 2, 2 + body.readInt16BE(0)) === mechanism;
      if (isKnown) this.#step = 'first';
      const list = [Buffer.from([0, 0, 0, 1]), int16(mechanism.length), Buffer.from(mechanism)];
      return framed(number, int16(isKnown ? 0 : unsupportedMechanism), ...list);
    }
    if (kind !== saslAuthenticate || this.#step === 'handshake') return 'refused';
    if (request.readInt16BE(6) !== 2) throw new Error('SaslAuthenticate has another version than 2.');
    // After the head's tagged fields: the length, in one byte or two, and the bytes.
    const skip = body[1]! < 128 ? 2 : 3;
    const reply = this.#login(body.toString('utf8', skip, body.length - 1));
    const fail = reply === undefined;
    return framed(
      number,
      Buffer.from([0]),
      int16(fail ? authenticationFailed : 0),
      fail ? compact('Authentication failed') : Buffer.from([0]),
      compact(reply ?? ''),
      Buffer.alloc(9),
    );
  }

  #login(message: string): string | undefined {
    if (this.#users.mechanism === 'OAUTHBEARER') {
      // RFC 7628, section 3.1: the header of GS2, then pairs that end with 0x01.
      const [header, pair = '', ...end] = message.split('\x01');
      const token = header === 'n,,' && end.join() === ',' ? /^auth=Bearer (.*)$/.exec(pair)?.[1] : undefined;
      const isRight = token !== undefined && this.#users.passwords.has(token);
      if (isRight) this.#step = 'done';
      return isRight ? '' : undefined;
    }
    if (this.#users.mechanism === 'PLAIN') {
      const [, user = '', password] = message.split('\0');
      const isRight = password !== undefined && this.#users.passwords.get(user) === password;
      if (isRight) this.#step = 'done';
      return isRight ? '' : undefined;
    }
    if (this.#step === 'first') {
      this.#step = 'last';
      return this.#scram.first(message);
    }
    const last = this.#scram.last(message);
    if (last !== undefined) this.#step = 'done';
    return last;
  }
}
