import { ErrorCode, type ErrorName } from '@tagway/schemas';
import { createHmac, createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client, Method, Reply } from '../kit/client.ts';
import { bodies, specification } from '../conformance/index.ts';
import { useGateway } from '../world/plant.ts';

type Claims = Record<string, unknown>;
type PasswordChange = readonly [what: string, error: ErrorName, old: string, fresh: string, name?: string];

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1000);

function sign(claims: Claims, key: KeyObject, header: object = { alg: 'RS256', typ: 'JWT' }): string {
  const text = `${base64(header)}.${base64(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
}

describe('session', function () {
  this.timeout(60_000);
  const { gateway } = useGateway();
  let client: Client;
  let key: KeyObject;
  let keyFile: string;

  before(async () => {
    client = gateway.anonymous();
    const files = await readdir(gateway.data, { recursive: true });
    keyFile = join(gateway.data, files.find((file) => file.endsWith('token.pem')) ?? 'there is no token.pem');
    key = createPrivateKey(await readFile(keyFile));
  });

  const login = (name: string, pass: string): Promise<Reply<{ token?: string; error?: number }>> =>
    client.call('POST', '/login', { name, pass });

  async function goodToken(): Promise<string> {
    return (await login('admin', '0000')).body.token ?? '';
  }

  async function answerTo(authorization: string | null): Promise<{ status: number; error: number }> {
    const { status, body } = await client.call('GET', '/version', undefined, { authorization });
    return { status, error: body.error ?? 0 };
  }

  it('ping needs no token', async () => {
    expect((await client.call('POST', '/ping')).status).to.equal(200);
  });

  it('login gives a token of an hour', async () => {
    const token = await goodToken();
    expect(await answerTo(`Bearer ${token}`)).to.deep.equal({ status: 200, error: 0 });
    const { iat, exp } = claimsOf(token) as { iat: number; exp: number };
    expect(exp - iat).to.equal(3600);
    expect(iat).to.be.closeTo(seconds(), 10);
  });

  it('the key pair is of this gateway, readable for its user alone', async () => {
    expect((await stat(keyFile)).mode & 0o077).to.equal(0);
  });

  describe('every other endpoint refuses a request without token: 401 1004', () => {
    // The webhook has a signature in the place of a token, and somebody who signs in has none yet.
    const open = [
      ...['POST /login', 'POST /ping', 'GET /metrics', 'POST /source/webhook'],
      ...['GET /sign-in', 'POST /sign-in/begin', 'POST /sign-in/finish'],
    ];
    const endpoints = new Set([
      ...Object.keys(bodies),
      ...Object.keys(specification),
      'GET /version',
      'GET /subscribe',
    ]);
    for (const endpoint of endpoints) {
      if (open.includes(endpoint)) continue;
      it(endpoint, async () => {
        const [method, path] = endpoint.split(' ') as [Method, string];
        // The token comes before the body: one that is no JSON does not matter.
        const { status, body } = await client.call(method, path, method === 'GET' ? undefined : '{', {
          authorization: null,
        });
        expect({ status, error: body.error }).to.deep.equal({ status: 401, error: ErrorCode.TOKEN_MISSING });
      });
    }
  });

  const later = (): number => seconds() + 600;
  /** Signs the claims of a good token, of which some are different, or with another key. */
  const bearer = (claims: Claims, change: Claims = {}, by = key): string =>
    `Bearer ${sign({ ...claims, ...change }, by)}`;
  const refused: Readonly<
    Partial<Record<ErrorName, Readonly<Record<string, (claims: Claims) => string | null>>>>
  > = {
    TOKEN_MISSING: {
      'no header': () => null,
      'another scheme': () => 'Basic YWRtaW46MDAwMA==',
      'a bearer without token': () => 'Bearer ',
      'a token without scheme': (claims) => sign(claims, key),
    },
    TOKEN_UNDECODABLE: {
      'a token that is none': () => 'Bearer nonsense',
      'a token of three parts that are none': () => 'Bearer a.b.c',
      'a token of another key': (claims) =>
        bearer(claims, {}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
      'a changed token': (claims) => {
        const [header, , signature] = sign(claims, key).split('.');
        return `Bearer ${header}.${base64({ ...claims, exp: later() + 1e6 })}.${signature}`;
      },
      'no signature at all': (claims) => `Bearer ${base64({ alg: 'none', typ: 'JWT' })}.${base64(claims)}.`,
      'the public key used as a password': (claims) => {
        const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
        const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
        return `Bearer ${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
      },
      'an unknown issuer': (claims) => bearer(claims, { iss: 'someone else' }),
      'no issuer': (claims) => bearer(claims, { iss: undefined }),
    },
    TOKEN_EXPIRED: { 'an expired token': (claims) => bearer(claims, { exp: seconds() - 1 }) },
    TOKEN_NOT_VALID: {
      'a token that is not valid yet': (claims) => bearer(claims, { nbf: later() }),
      'a token for another audience': (claims) => bearer(claims, { aud: 'someone else' }),
    },
    TOKEN_INVALID: { 'a token that never expires': (claims) => bearer(claims, { exp: undefined }) },
  };

  for (const [name, headers] of Object.entries(refused)) {
    const error = ErrorCode[name as ErrorName];
    const status = ['TOKEN_MISSING', 'TOKEN_UNDECODABLE'].includes(name) ? 401 : 403;
    for (const [what, header] of Object.entries(headers))
      it(`${status} ${error}: ${what}`, async () => {
        const claims = { ...claimsOf(await goodToken()), exp: later() };
        expect(await answerTo(header(claims))).to.deep.equal({ status, error });
      });
  }

  it('a token that was accepted is refused once it has expired', async () => {
    const exp = seconds() + 2;
    const header = `Bearer ${sign({ ...claimsOf(await goodToken()), exp }, key)}`;
    expect(await answerTo(header)).to.deep.equal({ status: 200, error: 0 });
    while (Date.now() <= exp * 1000) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await answerTo(header)).to.deep.equal({ status: 403, error: ErrorCode.TOKEN_EXPIRED });
  });

  describe('a change of the password', () => {
    /** Changes a password with a token of the user, of its own unless one is given. */
    const change = async (old_pass: string, new_pass: string, name = 'admin', given?: string) => {
      const authorization = given ?? `Bearer ${sign({ ...claimsOf(token), exp: later() }, key)}`;
      const data = { name, old_pass, new_pass };
      const { status, body } = await client.call('POST', '/password', data, { authorization });
      return { status, error: body.error ?? -1 };
    };
    let token: string;
    before(async () => {
      token = await goodToken();
    });

    const rows: readonly PasswordChange[] = [
      ['3 bytes are too short', 'PASSWORD_LENGTH', '0000', 'abc'],
      ['none are too short', 'PASSWORD_LENGTH', '0000', ''],
      ['65 bytes are too long', 'PASSWORD_LENGTH', '0000', 'a'.repeat(65)],
      ['66 bytes in 33 characters are too long', 'PASSWORD_LENGTH', '0000', 'é'.repeat(33)],
      ['the length is looked at before the old password', 'PASSWORD_LENGTH', 'wrong', 'abc'],
      ['the old password is wrong', 'CREDENTIALS_INVALID', 'wrong', 'fresh'],
      ['the user is unknown', 'CREDENTIALS_INVALID', '0000', 'fresh', 'nobody'],
      ['the new password is the old one', 'PASSWORD_DUPLICATE', '0000', '0000'],
    ];
    for (const [what, refusal, old, fresh, name] of rows) {
      const error = ErrorCode[refusal];
      it(`401 ${error}: ${what}`, async () => {
        expect(await change(old, fresh, name)).to.deep.equal({ status: 401, error });
        expect((await login('admin', '0000')).status, 'the old password stays').to.equal(200);
      });
    }

    it('takes effect at once, for 4 and for 64 bytes, and ends the other sessions', async () => {
      const own = `Bearer ${await goodToken()}`;
      const other = `Bearer ${sign({ ...claimsOf(token), exp: later() }, key)}`;
      const changed = { status: 200, error: 0 };
      expect(await answerTo(other)).to.deep.equal({ status: 200, error: 0 });
      expect(await change('0000', 'a'.repeat(64), 'admin', own)).to.deep.equal(changed);
      expect((await login('admin', '0000')).body.error).to.equal(ErrorCode.CREDENTIALS_INVALID);
      const between = `Bearer ${(await login('admin', 'a'.repeat(64))).body.token}`;
      expect(await answerTo(own)).to.deep.equal({ status: 200, error: 0 });
      expect(await answerTo(between)).to.deep.equal({ status: 200, error: 0 });
      expect(await answerTo(other)).to.deep.equal({ status: 403, error: ErrorCode.TOKEN_INVALID });
      expect(await change('a'.repeat(64), 'éé', 'admin', own)).to.deep.equal(changed);
      expect(await answerTo(own)).to.deep.equal({ status: 200, error: 0 });
      for (const ended of [other, between])
        expect(await answerTo(ended)).to.deep.equal({ status: 403, error: ErrorCode.TOKEN_INVALID });
      expect((await login('admin', 'éé')).status).to.equal(200);
      await gateway.restart();
      expect(await answerTo(own), 'after a restart').to.deep.equal({ status: 200, error: 0 });
      expect(await answerTo(other), 'after a restart').to.deep.equal({
        status: 403,
        error: ErrorCode.TOKEN_INVALID,
      });
    });
  });
});
