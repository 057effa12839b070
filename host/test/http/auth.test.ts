import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import jsonwebtoken, { type SignOptions } from 'jsonwebtoken';
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi, type Fixture } from './fixture.ts';

describe('a token', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const now = () => Math.floor(Date.now() / 1000);
  const good = () => ({ iss: 'tagway', aud: 'tagway', iat: now(), exp: now() + 60 });

  function sign(claims: object, key = api.keys.privateKey, options: SignOptions = {}): string {
    return jsonwebtoken.sign(JSON.parse(JSON.stringify(claims)) as object, key, {
      algorithm: 'RS256',
      ...options,
    });
  }

  async function answer(header: string): Promise<string> {
    const { status, body } = await api.call('GET /api/v2/version', undefined, { Authorization: header });
    return `${status} ${String((body as { error?: number }).error ?? 0)}`;
  }

  it('comes from a login, with its times and its user', () => {
    const claims = jsonwebtoken.decode(api.token) as Record<string, unknown>;
    expect(claims).to.include({ iss: 'tagway', aud: 'tagway', user: 'admin' });
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(3600);
  });

  it('opens the API, again and again', async () => {
    expect(await answer(`Bearer ${api.token}`)).to.equal('200 0');
    expect(await answer(`bearer ${api.token}`)).to.equal('200 0');
    expect(await answer(`Bearer ${api.token}`)).to.equal('200 0');
  });

  it('that is missing is 1004', async () => {
    for (const header of ['', 'Bearer', 'Bearer ', 'Basic YTpi', api.token]) {
      expect(await answer(header), header).to.equal(`401 ${ErrorCode.TOKEN_MISSING}`);
    }
  });

  it('that cannot be decoded or is signed by somebody else is 1005', async () => {
    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${api.token.split('.')[1]}.`;
    const tokens = {
      text: 'x',
      dots: 'a.b.c',
      cut: api.token.slice(0, -8),
      unsigned,
      foreign: sign(good(), foreign),
      issuer: sign({ ...good(), iss: 'other' }),
      noIssuer: sign({ ...good(), iss: undefined }),
      algorithm: sign(good(), api.keys.privateKey, { algorithm: 'RS512' }),
      publicKeyAsSecret: jsonwebtoken.sign(
        good(),
        api.keys.publicKey.export({ type: 'spki', format: 'pem' }),
      ),
      notAnObject: jsonwebtoken.sign('text', api.keys.privateKey, { algorithm: 'RS256' }),
    };
    for (const [name, token] of Object.entries(tokens)) {
      expect(await answer(`Bearer ${token}`), name).to.equal(`401 ${ErrorCode.TOKEN_UNDECODABLE}`);
    }
  });

  it('that has expired is 1006', async () => {
    expect(await answer(`Bearer ${sign({ ...good(), exp: now() - 1 })}`)).to.equal(
      `403 ${ErrorCode.TOKEN_EXPIRED}`,
    );
  });

  it('that is not valid yet or meant for others is 1007', async () => {
    expect(await answer(`Bearer ${sign({ ...good(), nbf: now() + 60 })}`)).to.equal(
      `403 ${ErrorCode.TOKEN_NOT_VALID}`,
    );
    expect(await answer(`Bearer ${sign({ ...good(), aud: 'other' })}`)).to.equal(
      `403 ${ErrorCode.TOKEN_NOT_VALID}`,
    );
  });

  it('that never expires is 1008', async () => {
    expect(await answer(`Bearer ${sign({ ...good(), exp: undefined })}`)).to.equal(
      `403 ${ErrorCode.TOKEN_INVALID}`,
    );
  });

  it('of a user who does not exist, or of nobody in particular, is 1008; one that names no user is of the first', async () => {
    expect(await answer(`Bearer ${sign({ ...good(), user: 'stranger' })}`)).to.equal(
      `403 ${ErrorCode.TOKEN_INVALID}`,
    );
    for (const user of [7, null, ['admin']])
      expect(await answer(`Bearer ${sign({ ...good(), user })}`)).to.equal(`403 ${ErrorCode.TOKEN_INVALID}`);
    expect(await answer(`Bearer ${sign({ ...good(), user: 'admin' })}`)).to.equal('200 0');
    const add = { name: 'viewer', password: 'secret' };
    const headers = { Authorization: `Bearer ${sign(good())}` };
    expect((await api.call('POST /api/v2/users', add, headers)).body).to.deep.equal({ error: 0 });
  });

  it('may carry its times as text', async () => {
    const text = JSON.stringify({ ...good(), exp: String(now() + 60), nbf: String(now() - 60) });
    const token = jsonwebtoken.sign(text, api.keys.privateKey, { algorithm: 'RS256' });
    expect(await answer(`Bearer ${token}`)).to.equal('200 0');
  });

  it('is forgotten when it expires', async () => {
    const token = sign({ ...good(), exp: now() + 2 });
    const answers = new Set<string>();
    for (let i = 0; i < 100 && !answers.has(`403 ${ErrorCode.TOKEN_EXPIRED}`); i++) {
      answers.add(await answer(`Bearer ${token}`));
      await delay(100);
    }
    expect([...answers]).to.deep.equal(['200 0', `403 ${ErrorCode.TOKEN_EXPIRED}`]);
  }).timeout(20_000);

  it('is not asked for by ping, login and OPTIONS, and by nothing else', async () => {
    const anyone = { Authorization: '' };
    expect((await api.call('POST /api/v2/ping', undefined, anyone)).text).to.equal('{}');
    expect((await api.call('OPTIONS /api/v2/node', undefined, anyone)).status).to.equal(200);
    const login = await api.call('POST /api/v2/login', { name: 'admin', pass: 'wrong' }, anyone);
    expect([login.status, login.body]).to.deep.equal([401, { error: ErrorCode.CREDENTIALS_INVALID }]);
    for (const endpoint of [
      'GET /api/v2/node/state',
      'POST /api/v2/password',
      'GET /api/v2/schema',
      'POST /api/v2/read',
    ]) {
      const { status, body } = await api.call(endpoint, undefined, anyone);
      expect([endpoint, status, body]).to.deep.equal([endpoint, 401, { error: ErrorCode.TOKEN_MISSING }]);
    }
  });

  it('stays valid when the password changes', async () => {
    const change = (old_pass: string, new_pass: string) =>
      api.call('POST /api/v2/password', { name: 'admin', old_pass, new_pass });
    expect((await change('0000', 'secret')).body).to.deep.equal({ error: 0 });
    expect((await change('secret', '0000')).body).to.deep.equal({ error: 0 });
    expect([(await change('0000', '123')).status, (await change('0000', '123')).body]).to.deep.equal([
      401,
      { error: ErrorCode.PASSWORD_LENGTH },
    ]);
    expect((await change('0000', '0000')).body).to.deep.equal({ error: ErrorCode.PASSWORD_DUPLICATE });
    expect((await change('wrong', '1234')).body).to.deep.equal({ error: ErrorCode.CREDENTIALS_INVALID });
  });
});
