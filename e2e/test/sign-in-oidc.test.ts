import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublicKey } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { tagway } from '../kit/installed.ts';
import type { Client } from '../kit/client.ts';
import { until } from '../kit/until.ts';
import { OidcPeer } from '../world/oidc-provider.ts';
import { useGateway } from '../world/plant.ts';

const audience = 'tagway-api';
const page = 'https://gateway.example:7000/';

interface Begun {
  readonly url: string;
  readonly ticket: string;
}

describe('a provider of OpenID Connect', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let provider: OidcPeer;
  let oidc: Record<string, unknown>;

  before(async () => {
    provider = await OidcPeer.start();
    await provider.set({ pages: [page] });
    oidc = {
      issuer: provider.issuer,
      client_id: 'tagway',
      audience,
      role_claim: 'groups',
      roles: [
        { value: 'plant-engineers', role: 'engineer' },
        { value: 'plant-watchers', role: 'viewer' },
      ],
      pages: [page],
      clock_skew: 5,
    };
  });
  after(() => provider?.stop());
  const set = (changed: object = {}): Promise<unknown> =>
    client.ok('PUT', '/sign-in/settings', { oidc: { ...oidc, ...changed } });
  beforeEach(() => set());

  const begin = (): Promise<Begun> => gateway.anonymous().ok<Begun>('POST', '/sign-in/begin', { page });
  const finish = (ticket: string, answer: string) =>
    gateway
      .anonymous()
      .call<{ error?: number; message?: string; token?: string; user?: string; logout?: string }>(
        'POST',
        '/sign-in/finish',
        { ticket, answer },
      );
  const bearing = (token: string): Client => {
    const bearer = gateway.anonymous();
    bearer.token = token;
    return bearer;
  };
  const selfOf = async (token: string): Promise<unknown> =>
    (await bearing(token).ok<{ self: unknown }>('GET', '/users')).self;
  const refusalOf = (token: string): Promise<number> => bearing(token).errorOf('GET', '/node', { type: 1 });

  /** A token as the provider signs them, with other claims, or signed otherwise. */
  async function forged(changed: JWTPayload = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: audience,
      sub: 'x',
      iat: now,
      exp: now + 60,
      preferred_username: 'olga',
      groups: ['plant-engineers'],
      ...changed,
    };
    const key = await importJWK(provider.key, 'RS256');
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: String(provider.key.kid), ...header })
      .sign(key);
  }

  describe('signs users in on the page', () => {
    it('with the role of their groups, and not without one', async () => {
      expect(await gateway.anonymous().ok('GET', '/sign-in')).to.deep.equal({
        ldap: false,
        oidc: new URL(provider.issuer).host,
      });
      const { url, ticket } = await begin();
      expect(new URL(url).searchParams.get('code_challenge_method')).to.equal('S256');
      const back = await provider.signIn(url, 'olga');
      expect(back.href.startsWith(page)).to.equal(true);
      const { body } = await finish(ticket, back.search);
      expect(body.user).to.equal('olga');
      expect(body.logout).to.match(new RegExp(`^${provider.issuer}/session/end\\?`));
      expect(body.logout).not.to.include('id_token');
      expect(await selfOf(body.token!)).to.deep.equal({
        kind: 'user',
        name: 'olga',
        role: 'engineer',
        issuer: provider.issuer,
      });
      await bearing(body.token!).ok('POST', '/node', { name: 'of-olga', plugin: 'Modbus TCP' });
      const { entries } = await client.ok<{ entries: Record<string, unknown>[] }>('GET', '/audit', {
        user: 'olga',
      });
      expect(entries[0]).to.include({ user: 'olga', kind: 'user', issuer: provider.issuer, node: 'of-olga' });
      const other = await begin();
      const refused = await finish(other.ticket, (await provider.signIn(other.url, 'oskar')).search);
      expect(refused.body.error).to.equal(ErrorCode.USER_NOT_PERMITTED);
      expect(refused.body.message).to.match(
        /^The provider knows the user "oskar", but nothing in the claim "groups"/,
      );
    });

    it('once for each code, whatever ticket comes with it', async () => {
      const { url, ticket } = await begin();
      const back = await provider.signIn(url, 'olga');
      expect((await finish(ticket, back.search)).status).to.equal(200);
      expect((await finish(ticket, back.search)).body.error).to.equal(ErrorCode.SIGN_IN_REFUSED);
      const other = await begin();
      expect((await finish(other.ticket, back.search)).body.error).to.equal(ErrorCode.SIGN_IN_REFUSED);
    });

    it('not with the code of another browser, also under its own state', async () => {
      const victim = await begin();
      const thief = await begin();
      const back = await provider.signIn(victim.url, 'olga');
      expect((await finish(thief.ticket, back.search)).body.error, 'the state of the other').to.equal(
        ErrorCode.SIGN_IN_REFUSED,
      );
      const again = await begin();
      const mixed = new URL(back);
      mixed.searchParams.set('state', String(new URL(again.url).searchParams.get('state')));
      expect((await finish(again.ticket, mixed.search)).body.error, "the verifier is another's").to.equal(
        ErrorCode.SIGN_IN_REFUSED,
      );
      expect((await finish('', back.search)).status).to.equal(400);
      expect((await finish('none', back.search)).body.error).to.equal(ErrorCode.SIGN_IN_REFUSED);
    });

    it('not with a state that is missing or wrong, nor with the answer of another provider', async () => {
      const changes: ((answer: URLSearchParams) => void)[] = [
        (answer) => answer.delete('state'),
        (answer) => answer.set('state', 'x'),
        (answer) => answer.append('state', 'x'),
        (answer) => answer.set('iss', 'https://other.example'),
        (answer) => answer.delete('iss'),
        (answer) => answer.set('error', 'access_denied'),
      ];
      for (const change of changes) {
        const { url, ticket } = await begin();
        const back = await provider.signIn(url, 'olga');
        change(back.searchParams);
        expect((await finish(ticket, back.search)).body.error, back.search).to.equal(
          ErrorCode.SIGN_IN_REFUSED,
        );
      }
    });

    it('at the addresses of the page that an admin has named, and at no other', async () => {
      for (const other of [
        'https://evil.example/',
        'https://gateway.example:7000.evil.example/',
        `${page}?next=//evil.example`,
        '//evil.example',
        'javascript:alert(1)',
      ]) {
        const { body } = await gateway.anonymous().call('POST', '/sign-in/begin', { page: other });
        expect(body.error, other).to.equal(ErrorCode.SIGN_IN_REFUSED);
        expect(body.message).to.include(page);
      }
      const { url } = await gateway
        .anonymous()
        .ok<Begun>('POST', '/sign-in/begin', { page: page.slice(0, -1) });
      expect(new URL(url).searchParams.get('redirect_uri')).to.equal(page);
    });

    it('until the settings change; nothing that is kept has a token', async () => {
      const { url, ticket } = await begin();
      const { token } = (await finish(ticket, (await provider.signIn(url, 'otto')).search)).body;
      await gateway.stop();
      for (const { parentPath, name } of readdirSync(gateway.data, {
        recursive: true,
        withFileTypes: true,
      }).filter((entry) => entry.isFile()))
        expect(readFileSync(join(parentPath, name)).includes(token!.split('.')[2]!), name).to.equal(false);
      await gateway.start();
      expect(await selfOf(token!)).to.include({ name: 'otto', role: 'viewer' });
      await set({ roles: [{ value: 'plant-watchers', role: 'operator' }] });
      expect(await refusalOf(token!)).to.equal(ErrorCode.TOKEN_INVALID);
    });
  });

  describe('gives tokens that the API takes', () => {
    it('to machines, with the role of a claim', async () => {
      await set({ role_claim: 'scope', roles: [{ value: 'plant-operators', role: 'operator' }] });
      const token = await provider.machineToken(audience);
      expect(await selfOf(token)).to.deep.equal({
        kind: 'user',
        name: 'scada',
        role: 'operator',
        issuer: provider.issuer,
      });
      await gateway.stop();
      await gateway.start();
      expect(await selfOf(token)).to.include({ name: 'scada' });
      expect(await refusalOf(await provider.machineToken('of-another'))).to.equal(ErrorCode.TOKEN_NOT_VALID);
    });

    it('to the commands of tagway', async () => {
      const listed = await tagway(['plugin', 'list', '--url', gateway.url, '--token', await forged()]);
      expect(listed.stdout).to.include('Modbus TCP');
      const refused = await tagway(['plugin', 'list', '--url', gateway.url], {
        TAGWAY_TOKEN: await forged({ aud: 'other' }),
      });
      expect(refused.stderr).to.include('not made out to this gateway');
    });

    it('which are made out to the gateway and good now', async () => {
      const now = Math.floor(Date.now() / 1000);
      expect(await refusalOf(await forged())).to.equal(0);
      const cases: readonly (readonly [claims: JWTPayload, error: number])[] = [
        [{ aud: 'tagway' }, ErrorCode.TOKEN_NOT_VALID],
        [{ aud: undefined as unknown as string }, ErrorCode.TOKEN_NOT_VALID],
        [{ aud: ['other', audience] }, 0],
        [{ exp: now - 10 }, ErrorCode.TOKEN_EXPIRED],
        [{ exp: now - 2 }, 0],
        [{ exp: undefined as unknown as number }, ErrorCode.TOKEN_NOT_VALID],
        [{ nbf: now + 60 }, ErrorCode.TOKEN_NOT_VALID],
        [{ iss: 'https://other.example' }, ErrorCode.TOKEN_UNDECODABLE],
        [{ iss: `${provider.issuer}/` }, ErrorCode.TOKEN_UNDECODABLE],
        [{ events: {} }, ErrorCode.TOKEN_UNDECODABLE],
        [{ groups: [] }, ErrorCode.USER_NOT_PERMITTED],
        [{ groups: { 'plant-engineers': true } }, ErrorCode.USER_NOT_PERMITTED],
        [{ groups: ['plant-engineers*', '*'] }, ErrorCode.USER_NOT_PERMITTED],
        [{ preferred_username: 'olga\u0000' }, ErrorCode.USER_NOT_PERMITTED],
        [{ preferred_username: { name: 'olga' } }, ErrorCode.USER_NOT_PERMITTED],
      ];
      for (const [claims, error] of cases)
        expect(await refusalOf(await forged(claims)), JSON.stringify(claims)).to.equal(error);
    });

    it('and no others: unsigned, signed with a public key as a secret, or with a key of somebody else', async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: provider.issuer,
        aud: audience,
        exp: now + 60,
        preferred_username: 'olga',
        groups: ['plant-engineers'],
      };
      expect(await refusalOf(new UnsecuredJWT(claims).encode()), 'alg: none').to.equal(
        ErrorCode.TOKEN_UNDECODABLE,
      );
      const { n = '', e = '' } = provider.key;
      const pem = createPublicKey({ key: { n, e, kty: 'RSA' }, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
      for (const header of [{ kid: String(provider.key.kid) }, {}])
        expect(
          await refusalOf(
            await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(Buffer.from(pem)),
          ),
          'HS256',
        ).to.equal(ErrorCode.TOKEN_UNDECODABLE);
      const { privateKey } = await generateKeyPair('RS256');
      for (const kid of ['first', 'unknown'])
        expect(
          await refusalOf(
            await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
          ),
          kid,
        ).to.equal(ErrorCode.TOKEN_UNDECODABLE);
      for (const token of [
        'x',
        'a.b.c',
        `${'a'.repeat(8000)}.b.c`,
        `x.${Buffer.from(JSON.stringify({ iss: provider.issuer })).toString('base64url')}.y`,
      ])
        expect(await refusalOf(token), token.slice(0, 20)).to.equal(ErrorCode.TOKEN_UNDECODABLE);
      const good = await forged();
      const [head, body, signature] = good.split('.') as [string, string, string];
      const other = Buffer.from(body, 'base64url').toString().replace('olga', 'otto');
      expect(await refusalOf(`${head}.${Buffer.from(other).toString('base64url')}.${signature}`)).to.equal(
        ErrorCode.TOKEN_UNDECODABLE,
      );
    });

    it('by the keys that it publishes now: a new one counts, and one that is withdrawn does not', async () => {
      const old = await forged();
      expect(await refusalOf(old)).to.equal(0);
      await provider.set({ keys: ['second', 'first'] });
      await until('the new key counts', async () => (await refusalOf(await forged())) === 0);
      expect(await refusalOf(old), 'both are published').to.equal(0);
      await provider.set({ keys: ['third'] });
      await until('the newest key counts', async () => (await refusalOf(await forged())) === 0);
      expect(await refusalOf(old), 'the key is withdrawn').to.equal(ErrorCode.TOKEN_UNDECODABLE);
      await provider.set({ keys: ['first'] });
    });
  });

  describe('that does not answer as it should', () => {
    it('is waited for by those who need it, and by nobody else', async () => {
      const { ticket, url } = await begin();
      const back = await provider.signIn(url, 'olga');
      await provider.set({ slow: 60_000 });
      try {
        let isOver = false;
        const slow = finish(ticket, back.search).finally(() => (isOver = true));
        for (let turn = 0; turn < 3; turn++) await gateway.anonymous().login();
        await client.ok('GET', '/node', { type: 1 });
        expect(isOver, 'the provider has answered').to.equal(false);
        const { status, body } = await slow;
        expect({ status, error: body.error }).to.deep.equal({
          status: 502,
          error: ErrorCode.PROVIDER_UNREACHABLE,
        });
        expect(body.message).to.match(/does not answer within 10 seconds/);
      } finally {
        await provider.set({ slow: 0 });
      }
    });

    it('is not read when it sends very much', async () => {
      await provider.set({ huge: 50_000_000 });
      try {
        await set({ clock_skew: 6 });
        const { body } = await bearing(await forged()).call('GET', '/node', { type: 1 });
        expect(body).to.include({ error: ErrorCode.PROVIDER_REPLY_INVALID });
        expect(body.message).to.match(/sends more than 262144 bytes/);
        const test = await client.call('POST', '/sign-in/test', { oidc });
        expect(test.body.error).to.equal(ErrorCode.PROVIDER_REPLY_INVALID);
      } finally {
        await provider.set({ huge: 0 });
      }
      expect((await client.ok<{ keys: number }>('POST', '/sign-in/test', { oidc })).keys).to.equal(1);
    });

    it('leaves the users of the gateway as they are', async () => {
      await set({ issuer: 'http://127.0.0.1:1' });
      const { body } = await gateway.anonymous().call('POST', '/sign-in/begin', { page });
      expect(body.message).to.equal(
        'The provider of the sign-in cannot be asked: it refuses the connection.',
      );
      await gateway.anonymous().login();
      expect(
        await client.errorOf('PUT', '/sign-in/settings', {
          oidc: { ...oidc, issuer: 'http://provider.example' },
        }),
      ).to.equal(ErrorCode.PARAM_INVALID);
    });
  });
});
