import { ErrorCode, includesRole, dialects, type Role, roles } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

/** A token of a user of each role, named like it. */
async function tokensOf(api: Fixture): Promise<Record<Role, string>> {
  const tokens: Partial<Record<Role, string>> = {};
  for (const role of roles) {
    const name = `the-${role}`;
    const added = await api.call('POST /api/v2/users', { name, password: 'secret', role });
    expect(added.body).to.deep.equal({ error: 0 });
    const login = await api.call('POST /api/v2/login', { name, pass: 'secret' });
    tokens[role] = (login.body as { token: string }).token;
  }
  return tokens as Record<Role, string>;
}

/** Without a look at what the body is. */
async function raw(api: Fixture, name: string, body: string | undefined, token: string) {
  const [method = '', path = ''] = name.split(' ');
  const options = { method, headers: as(token), ...(body !== undefined && { body }) };
  const response = await fetch(`http://127.0.0.1:${api.port}${path}`, options);
  return { status: response.status, text: await response.text() };
}

const as = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('roles', function () {
  this.timeout(30_000);
  let api: Fixture;
  let tokens: Record<Role, string>;
  before(async () => {
    api = await startApi();
    tokens = await tokensOf(api);
  });
  after(() => api.close());

  it('decide on every endpoint who may call it, before anything else is looked at', async () => {
    // What would end the sessions of this test is asked with a body that is none.
    for (const { name, path, role } of api.routes) {
      if (role === undefined || path === '/api/v2/logs') continue;
      const body = name.startsWith('GET') ? undefined : '{';
      for (const one of roles) {
        const { status, text } = await raw(api, name, body, tokens[one]);
        const isRefused = text.startsWith(`{"error":${ErrorCode.USER_NOT_PERMITTED}`);
        expect([one, name, isRefused]).to.deep.equal([one, name, !includesRole(one, role)]);
        if (isRefused) expect(status, name).to.equal(403);
      }
    }
  });

  it('are what they are called: a viewer reads, an operator writes and starts, an engineer configures, an admin manages', () => {
    const least = Object.fromEntries(api.routes.map(({ name, role }) => [name.replace('/api/v2', ''), role]));
    expect(least).to.include({
      'GET /node': 'viewer',
      'POST /read': 'viewer',
      'GET /log': 'viewer',
      'POST /write': 'operator',
      'POST /write/tags': 'operator',
      'POST /write/gtags': 'operator',
      'POST /node/ctl': 'operator',
      'POST /node': 'engineer',
      'POST /tags': 'engineer',
      'POST /plugin': 'engineer',
      'PUT /global/config': 'engineer',
      'POST /users': 'admin',
      'DELETE /users': 'admin',
      'POST /license': 'admin',
      'GET /logs': 'admin',
      'GET /log/list': 'admin',
      'GET /log/file': 'admin',
      'POST /login': undefined,
    });
    for (const { name, role } of api.routes)
      if (/^(POST|PUT|DELETE)/.test(name) && role === 'viewer')
        expect(name).to.match(
          / (\/api\/v2\/(read|read\/paginate|subscribe\/preview|password|users)|\/live\/(events|references))$/,
        );
  });

  it('are in the document, with the code of a refusal', async () => {
    const { body } = await api.call('GET /api/v2/openapi.json');
    const { paths } = body as {
      paths: Record<string, Record<string, { 'x-role'?: Role; responses: Record<string, object> }>>;
    };
    for (const { name, path, method, role } of api.routes) {
      const operation = paths[path]?.[method.toLowerCase()];
      expect(operation?.['x-role'], name).to.equal(role);
      if (role !== undefined && role !== 'viewer')
        expect(operation, name).to.have.nested.property(
          `responses.403.x-codes.${ErrorCode.USER_NOT_PERMITTED}`,
        );
    }
    expect(
      (await (await fetch(`http://127.0.0.1:${api.port}/api`)).text()).match(/Needs the role admin\./g),
    ).to.be.an('array');
  });

  it('are named in a refusal', async () => {
    const { text } = await api.call('POST /api/v2/node', { name: 'a', plugin: 'b' }, as(tokens.viewer));
    expect(JSON.parse(text)).to.deep.equal({
      error: ErrorCode.USER_NOT_PERMITTED,
      message: 'POST /api/v2/node needs the role engineer; the user "the-viewer" is viewer.',
    });
  });

  it('are told to admins of all, and to everybody of himself', async () => {
    const { body } = await api.call('GET /api/v2/users', undefined, as(tokens.operator));
    expect(body).to.deep.equal({
      users: [{ name: 'the-operator', role: 'operator' }],
      self: { kind: 'user', name: 'the-operator', role: 'operator' },
    });
    const all = (await api.call('GET /api/v2/users', undefined, as(tokens.admin))).body as {
      users: object[];
    };
    expect(all.users).to.deep.include({ name: 'admin', role: 'admin' });
    expect(all.users).to.have.length(5);
  });

  it('take effect at once, for tokens that are there too', async () => {
    const rename = () =>
      api.call('PUT /api/v2/node', { name: 'none', new_name: 'other' }, as(tokens.operator));
    expect((await rename()).status).to.equal(403);
    await api.call('PUT /api/v2/users', { name: 'the-operator', role: 'engineer' });
    expect((await rename()).status).to.equal(404);
    await api.call('PUT /api/v2/users', { name: 'the-operator', role: 'operator' });
    expect((await rename()).status).to.equal(403);
  });

  it('are changed by an admin alone; everybody may set his own password', async () => {
    const own = (role: Role, body: object) =>
      api.call('PUT /api/v2/users', { name: `the-${role}`, ...body }, as(tokens[role]));
    expect((await own('engineer', { role: 'admin' })).body).to.deep.equal({
      error: ErrorCode.USER_NOT_PERMITTED,
    });
    expect((await own('viewer', { new_password: 'changed' })).body).to.deep.equal({ error: 0 });
    expect((await own('viewer', {})).body).to.deep.equal({ error: ErrorCode.BODY_INVALID });
    expect((await own('admin', { role: 'boss' })).body).to.deep.equal({ error: ErrorCode.BODY_INVALID });
  });

  it('leave an admin: the last one is neither demoted nor deleted', async () => {
    const demote = (name: string) =>
      api.call('PUT /api/v2/users', { name, role: 'viewer' }, as(tokens.admin));
    expect((await demote('admin')).body).to.deep.equal({ error: 0 });
    expect((await demote('the-admin')).body).to.deep.equal({ error: ErrorCode.USER_NOT_PERMITTED });
    const remove = await api.call('DELETE /api/v2/users', { name: 'the-admin' }, as(tokens.admin));
    expect(remove.body).to.deep.equal({ error: ErrorCode.USER_NOT_PERMITTED });
    expect(remove.text).to.include('the last admin');
    const promote = await api.call('PUT /api/v2/users', { name: 'admin', role: 'admin' }, as(tokens.admin));
    expect(promote.body).to.deep.equal({ error: 0 });
    expect((await demote('the-admin')).body).to.deep.equal({ error: 0 });
  });
});

describe('sessions', function () {
  this.timeout(30_000);
  let api: Fixture;
  beforeEach(async () => {
    api = await startApi();
    await api.call('POST /api/v2/users', { name: 'bob!', password: 'secret' });
  });
  afterEach(() => api.close());

  const session = async (pass = 'secret'): Promise<Record<string, string>> =>
    as(((await api.call('POST /api/v2/login', { name: 'bob!', pass })).body as { token: string }).token);
  const errorOf = async (headers: Record<string, string>): Promise<number> =>
    ((await api.call('GET /api/v2/version', undefined, headers)).body as { error?: number }).error ?? 0;

  it('end when their user changes the password, except for the one that did', async () => {
    const one = await session();
    const two = await session();
    const change = { name: 'bob!', old_pass: 'secret', new_pass: 'changed' };
    expect((await api.call('POST /api/v2/password', change, one)).body).to.deep.equal({ error: 0 });
    expect([await errorOf(one), await errorOf(two)]).to.deep.equal([0, ErrorCode.TOKEN_INVALID]);
    const three = await session('changed');
    await api.call('PUT /api/v2/users', { name: 'bob!', new_password: 'again' }, three);
    expect([await errorOf(one), await errorOf(three)]).to.deep.equal([ErrorCode.TOKEN_INVALID, 0]);
  });

  it('end all when an admin sets the password, and the admin’s own goes on', async () => {
    const one = await session();
    await api.call('PUT /api/v2/users', { name: 'bob!', new_password: 'changed' });
    expect(await errorOf(one)).to.equal(ErrorCode.TOKEN_INVALID);
    expect(await errorOf({})).to.equal(0);
  });

  it('of a deleted user do not come back with the name', async () => {
    const one = await session();
    await api.call('DELETE /api/v2/users', { name: 'bob!' });
    expect(await errorOf(one)).to.equal(ErrorCode.TOKEN_INVALID);
    await api.call('POST /api/v2/users', { name: 'bob!', password: 'secret' });
    expect(await errorOf(one)).to.equal(ErrorCode.TOKEN_INVALID);
    expect(await errorOf(await session())).to.equal(0);
  });
});

describe('users in the dialect of the family', function () {
  this.timeout(30_000);
  let api: Fixture;
  before(async () => {
    api = await startApi({ dialect: dialects.family });
  });
  after(() => api.close());

  it('may all but manage users, whatever their role, and their tokens outlive a new password', async () => {
    const tokens = await tokensOf(api);
    const add = await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver' }, as(tokens.viewer));
    expect(add.body).to.deep.equal({ error: 0 });
    const accomplice = { name: 'other', password: 'secret' };
    const refused = await api.call('POST /api/v2/users', accomplice, as(tokens.admin));
    expect([refused.status, refused.body]).to.deep.equal([400, { error: ErrorCode.USER_NOT_PERMITTED }]);
    const { body } = await api.call('GET /api/v2/users', undefined, as(tokens.viewer));
    expect(body).to.deep.equal({
      users: [...roles.map((role) => `the-${role}`), 'admin'].sort().map((name) => ({ name })),
    });
    await api.call('PUT /api/v2/users', { name: 'the-viewer', new_password: 'changed' });
    expect((await api.call('GET /api/v2/version', undefined, as(tokens.viewer))).status).to.equal(200);
  });
});
