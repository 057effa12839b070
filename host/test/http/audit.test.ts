import { Attribute, ErrorCode } from '@tagway/schemas';
import type { AuditReply } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { expect } from 'chai';
import type { AuditEntry } from '../../src/core/access/audit.ts';
import { RefusedAttempts } from '../../src/core/access/refused-attempts.ts';
import { startApi, type Fixture } from './fixture.ts';

type AuditRow = AuditReply['entries'][number];

describe('the audit', function () {
  this.timeout(30_000);
  let api: Fixture;
  beforeEach(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', {
      name: 'd',
      plugin: 'Test Driver',
      params: { port: 5, password: 'old' },
    });
    const word = { name: 't', address: '1', attribute: Attribute.READ | Attribute.WRITE, type: 3 };
    const tags = Array.from({ length: 50 }, (_, i) => ({ ...word, name: i === 0 ? 't' : `t${i}` }));
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags });
  });
  afterEach(async () => {
    await api.close();
    expect(api.errors).to.deep.equal([]);
  });

  const ask = async (query = ''): Promise<AuditReply> => {
    const answer = await api.call(`GET /api/v2/audit${query}`);
    expect(checkOf('AuditReply')(answer.body), answer.text).to.equal(undefined);
    return answer.body as AuditReply;
  };
  const latest = async (): Promise<AuditRow> => (await ask('?page_size=1')).entries[0] as AuditRow;

  it('says who did what, from where, with which result, newest first', async () => {
    await api.call('POST /api/v2/group', { node: 'd', name: 'h', interval: 1000 });
    const { time, from, ...entry } = await latest();
    expect(time).to.be.closeTo(Date.now(), 5000);
    expect(from).to.match(/127\.0\.0\.1$/);
    expect(entry).to.deep.equal({
      user: 'admin',
      kind: 'user',
      endpoint: 'POST /api/v2/group',
      node: 'd',
      text: 'added the group "h" of "d", read every 1000 ms',
      error: 0,
      status: 200,
    });
    expect((await ask()).entries.map(({ endpoint }) => endpoint)).to.deep.equal([
      'POST /api/v2/group',
      'POST /api/v2/tags',
      'POST /api/v2/node',
    ]);
  });

  it('says what was tried in vain, and nothing of what only reads', async () => {
    await api.call('POST /api/v2/read', { node: 'd', group: 'g' });
    await api.call('GET /api/v2/node/state');
    await api.call('DELETE /api/v2/node', { name: 'none' });
    const { entries } = await ask();
    expect(entries).to.have.length(3);
    expect(entries[0]).to.include({
      text: 'tried, with error 2003: deleted the node "none"',
      node: 'none',
      error: ErrorCode.NODE_NOT_FOUND,
      status: 404,
    });
  });

  it('has the settings that changed, before and after, without secrets and without what may be one', async () => {
    const params = { port: 6, secret: 'hidden', pasword: 'mistyped' };
    await api.call('POST /api/v2/node/setting', { node: 'd', params });
    const entry = await latest();
    expect(entry).to.deep.include({
      before: { port: 5, password: '***' },
      after: { port: 6, secret: '***', pasword: '***' },
    });
    const { text } = await api.call('GET /api/v2/audit');
    for (const hidden of ['hidden', 'mistyped', '"old"']) expect(text).not.to.include(hidden);
  });

  it('has groups, roles and running states before and after', async () => {
    await api.call('PUT /api/v2/group', { node: 'd', group: 'g', new_name: 'k', interval: 5000 });
    expect(await latest()).to.deep.include({
      before: { name: 'g', interval: 1000 },
      after: { name: 'k', interval: 5000 },
    });
    await api.call('POST /api/v2/users', { name: 'bob!', password: 'secret' });
    await api.call('PUT /api/v2/users', { name: 'bob!', role: 'viewer', new_password: 'changed' });
    expect(await latest()).to.deep.include({
      text: 'set the password of the user "bob!" and made the user "bob!" viewer',
      before: { role: 'engineer' },
      after: { role: 'viewer' },
    });
    await api.call('POST /api/v2/node/ctl', { node: 'd', cmd: 1 });
    expect(await latest()).to.deep.include({ before: { running: 3 }, after: { running: 4 } });
    const { text } = await api.call('GET /api/v2/audit');
    for (const hidden of ['"secret"', '"changed"']) expect(text).not.to.include(hidden);
  });

  it('has writes to devices, a call of many in one entry with the first of them', async () => {
    await api.call('POST /api/v2/write', { node: 'd', group: 'g', tag: 't', value: 7 });
    expect(await latest()).to.include({ text: 'wrote to the group "g" of "d": "t" = 7', node: 'd' });
    const before = (await ask()).entries.length;
    const tags = Array.from({ length: 49 }, (_, i) => ({ tag: `t${i + 1}`, value: i }));
    await api.call('POST /api/v2/write/tags', { node: 'd', group: 'g', tags });
    const { entries } = await ask();
    expect(entries).to.have.length(before + 1);
    expect(entries[0]?.text).to.equal(
      'wrote to the group "g" of "d": "t1" = 0, "t2" = 1, "t3" = 2, "t4" = 3, "t5" = 4 and 44 more',
    );
  });

  it('names tokens of machines', async () => {
    const { body } = await api.call('POST /api/v2/tokens', { name: 'scada', role: 'operator' });
    const { token } = body as { token: string };
    const headers = { Authorization: `Bearer ${token}` };
    await api.call('POST /api/v2/write', { node: 'd', group: 'g', tag: 't', value: 1 }, headers);
    expect(await latest()).to.include({ user: 'scada', kind: 'token' });
    expect((await ask('?user=scada')).entries).to.have.length(1);
    expect((await api.call('GET /api/v2/audit')).text).not.to.include(token);
  });

  it('has attempts that were refused: failed logins, bad tokens, roles that do not do', async () => {
    await api.call('POST /api/v2/login', { name: 'admin', pass: 'guess' });
    expect(await latest()).to.include({
      user: '',
      kind: 'nobody',
      error: ErrorCode.CREDENTIALS_INVALID,
      status: 401,
      text: 'tried, with error 1009: logged in as "admin"',
    });
    await api.call('GET /api/v2/node/state', undefined, { Authorization: 'Bearer nonsense' });
    expect(await latest()).to.include({
      error: ErrorCode.TOKEN_UNDECODABLE,
      endpoint: 'GET /api/v2/node/state',
    });
    const { body } = await api.call('POST /api/v2/tokens', { name: 'meter', role: 'viewer' });
    const headers = { Authorization: `Bearer ${(body as { token: string }).token}` };
    await api.call('GET /api/v2/logs', undefined, headers);
    expect(await latest()).to.include({ user: 'meter', error: ErrorCode.USER_NOT_PERMITTED, status: 403 });
    expect((await api.call('GET /api/v2/audit')).text).not.to.include('guess');
  });

  it('cannot be flushed by attempts that are refused', async () => {
    for (let i = 0; i < 100; i++)
      await api.call('GET /api/v2/node/state', undefined, { Authorization: `Bearer ${i}` });
    expect((await ask()).entries).to.have.length(2 + 5);
  });

  it('is paged and filtered, and refuses what is no page', async () => {
    for (const name of ['h', 'i', 'j'])
      await api.call('POST /api/v2/group', { node: 'd', name, interval: 1000 });
    const { entries, page_count: count } = await ask('?page=1&page_size=2&node=d');
    expect([entries.map(({ text }) => text), count]).to.deep.equal([
      ['added the group "h" of "d", read every 1000 ms', entries[1]?.text],
      3,
    ]);
    expect((await ask('?text=group+%22i%22')).entries).to.have.length(1);
    expect((await ask('?since=&until=1')).entries).to.deep.equal([]);
    for (const query of ['?page_size=0', '?page_size=1001', '?page=x', '?since=soon'])
      expect((await api.call(`GET /api/v2/audit${query}`)).body, query).to.deep.equal({
        error: ErrorCode.PARAM_INVALID,
      });
  });

  it('knows every endpoint that changes something', () => {
    const reading =
      /^(GET|POST \/api\/v2\/(ping|read|read\/paginate|read\/test|scan\/tags|tags\/plan|global\/config\/(plan|apply\/plan)|snapshots\/plan|node\/test|profile\/(check|test|plan)|subscribe\/preview|sign-in\/(begin|test)|source\/webhook)$|\w+ \/live\/(?!separator))/;
    for (const { name, isAudited = false } of api.routes)
      expect(isAudited, name).to.equal(!reading.test(name));
  });
});

describe('attempts that are refused', () => {
  const added: AuditEntry[] = [];
  const entry: AuditEntry = {
    time: 0,
    user: '',
    kind: 'nobody',
    text: 'tried',
    error: ErrorCode.TOKEN_MISSING,
  };

  it('have few entries of their own, whatever the number of addresses, and are counted in one', () => {
    const attempts = new RefusedAttempts({ add: (one) => void added.push(one) }, 'addresses');
    for (let i = 0; i < 10_000; i++) attempts.add(`10.0.${i % 40}.${i % 250}`, entry);
    expect(added).to.have.length(50);
    attempts.sumUp();
    attempts.sumUp();
    expect(added).to.have.length(51);
    expect(added.at(-1)?.text).to.match(
      /^9950 more attempts of 10\.0\.\d+\.\d+ and \d+ other addresses were refused$/,
    );
  });
});
