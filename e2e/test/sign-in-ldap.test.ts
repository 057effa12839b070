import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { useFolder } from '../kit/folder.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';
import { base, hasSlapd, Slapd } from '../world/slapd.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';

const mask = '********';
const odd = 'jim, the *boss* (night)';
const people = [
  { name: 'anna', password: 'pass of anna' },
  { name: 'bert', password: 'pass of bert' },
  { name: 'carl', password: 'pass of carl' },
  { name: 'admin', password: 'the admin of the directory' },
  { name: odd, password: 'pass of jim' },
];
const groups = { engineers: ['anna', odd], watchers: ['anna', 'bert', 'admin'], others: ['carl'] };

const title = hasSlapd
  ? 'users of a directory'
  : 'users of a directory (skipped: slapd or openssl is not installed)';

(hasSlapd ? describe : describe.skip)(title, function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let slapd: Slapd;
  after(() => slapd?.stop());
  const folder = useFolder('slapd');
  let ldap: Record<string, unknown>;

  const set = (changed: object = {}): Promise<unknown> =>
    client.ok('PUT', '/sign-in/settings', { ldap: { ...ldap, ...changed } });
  const enter = (name: string, pass: string) =>
    gateway
      .anonymous()
      .call<{ error?: number; message?: string; token?: string }>('POST', '/login', { name, pass });
  const selfOf = async (name: string, pass: string): Promise<unknown> => {
    const own = await gateway.anonymous().login(name, pass);
    return (await own.ok<{ self: unknown }>('GET', '/users')).self;
  };

  before(async () => {
    slapd = await Slapd.start(folder('slapd'), people, groups);
    ldap = {
      url: slapd.secureUrl,
      ca: slapd.ca,
      base: `ou=people,${base}`,
      bind_dn: `cn=reader,${base}`,
      bind_password: "reader's",
      roles: [
        { value: `CN=engineers, ou=groups, ${base}`, role: 'engineer' },
        { value: 'watchers', role: 'viewer' },
      ],
    };
  });
  beforeEach(() => set());

  it('are offered, sign in with the highest role of their groups, and stand in the audit with the directory', async () => {
    expect(await gateway.anonymous().ok('GET', '/sign-in')).to.deep.equal({ ldap: true });
    expect(await selfOf('anna', 'pass of anna')).to.deep.equal({
      kind: 'user',
      name: 'anna',
      role: 'engineer',
      issuer: 'ldap',
    });
    expect(await selfOf('BERT', 'pass of bert')).to.deep.equal({
      kind: 'user',
      name: 'bert',
      role: 'viewer',
      issuer: 'ldap',
    });
    const anna = await gateway.anonymous().login('anna', 'pass of anna');
    await anna.ok('POST', '/node', { name: 'of-anna', plugin: 'Modbus TCP' });
    const { entries } = await client.ok<{ entries: Record<string, unknown>[] }>('GET', '/audit', {
      user: 'anna',
    });
    expect(entries[0]).to.include({ user: 'anna', kind: 'user', issuer: 'ldap', node: 'of-anna' });
    const bert = await gateway.anonymous().login('bert', 'pass of bert');
    expect(await bert.errorOf('DELETE', '/node', { name: 'of-anna' })).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });

  it('sign in over StartTLS, by the name of their entry, and with groups that are looked for', async () => {
    await set({ url: slapd.url });
    expect(await selfOf('anna', 'pass of anna')).to.include({ role: 'engineer' });
    const direct = { bind_dn: '', bind_password: '', base: '', user_dn: `uid={name},ou=people,${base}` };
    await set({ url: slapd.url, ...direct });
    expect(await selfOf('anna', 'pass of anna')).to.include({ role: 'engineer' });
    expect(await selfOf(odd, 'pass of jim')).to.include({ name: odd, role: 'engineer' });
    await set({ ...direct, group_base: `ou=groups,${base}` });
    expect(await selfOf('bert', 'pass of bert')).to.include({ role: 'viewer' });
    await set({ group_base: `ou=groups,${base}` });
    expect(await selfOf(odd, 'pass of jim')).to.include({ name: odd, role: 'engineer' });
  });

  it('are refused with a wrong password, without a role, and with a sentence', async () => {
    expect((await enter('anna', 'pass of bert')).body.error).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect((await enter('nobody', 'pass of anna')).body.error).to.equal(ErrorCode.CREDENTIALS_INVALID);
    const { status, body } = await enter('carl', 'pass of carl');
    expect({ status, error: body.error }).to.deep.equal({ status: 403, error: ErrorCode.USER_NOT_PERMITTED });
    expect(body.message).to.match(/^The directory knows the user "carl", but none of the groups/);
  });

  it('never sign in with an empty password, which is not sent to the directory', async () => {
    const direct = { bind_dn: '', bind_password: '', base: '', user_dn: `uid={name},ou=people,${base}` };
    for (const changed of [{}, direct]) {
      await set(changed);
      const before = slapd.connections;
      expect((await enter('anna', '')).body.error).to.equal(ErrorCode.CREDENTIALS_INVALID);
      expect(slapd.connections, 'connections to the directory').to.equal(before);
    }
  });

  it('cannot change what is asked by their names', async () => {
    const names = [
      '*',
      'a*',
      'anna)(uid=*',
      '*)(|(uid=*',
      'anna\0',
      'anna,ou=people',
      'anna+cn=anna',
      '\\61nna',
      `anna,ou=people,${base}`,
      'PLAIN',
      'EXTERNAL',
      'anna\u202e',
      ' anna',
      '',
      'x'.repeat(5000),
    ];
    const direct = { bind_dn: '', bind_password: '', base: '', user_dn: `uid={name},ou=people,${base}` };
    for (const changed of [{}, direct]) {
      await set(changed);
      for (const name of names)
        expect((await enter(name, 'pass of anna')).body.error, JSON.stringify(name)).to.equal(
          ErrorCode.CREDENTIALS_INVALID,
        );
    }
  });

  it('do not take the place of users of the gateway, whose passwords the directory never gets', async () => {
    const before = slapd.connections;
    expect((await enter('admin', 'the admin of the directory')).body.error).to.equal(
      ErrorCode.CREDENTIALS_INVALID,
    );
    expect(slapd.connections, 'connections to the directory').to.equal(before);
    expect(await selfOf('admin', '0000')).to.include({ role: 'admin' });
    const anna = await gateway.anonymous().login('anna', 'pass of anna');
    expect(await anna.errorOf('PUT', '/users', { name: 'anna', new_password: 'another' })).to.equal(
      ErrorCode.USER_NOT_PERMITTED,
    );
  });

  it('wait for a directory that is silent, and nobody else does', async () => {
    const proxy = await TcpProxy.open(Number(new URL(slapd.secureUrl).port));
    try {
      proxy.swallow();
      await set({ url: `ldaps://127.0.0.1:${proxy.port}` });
      await client.ok('PUT', '/sign-in/settings', {
        ldap: { ...ldap, url: `ldaps://127.0.0.1:${proxy.port}` },
      });
      let isOver = false;
      const slow = enter('anna', 'pass of anna').finally(() => (isOver = true));
      for (let turn = 0; turn < 3; turn++)
        expect(await selfOf('admin', '0000')).to.include({ role: 'admin' });
      expect(isOver, 'the directory has answered').to.equal(false);
      expect(await slow).to.deep.include({ status: 502 });
      expect((await slow).body.message).to.match(
        /does not answer within 10 seconds\. Users of the gateway itself/,
      );
    } finally {
      await proxy.shut();
    }
    const gone = await enter('anna', 'pass of anna');
    expect(gone.body.message).to.equal('The directory cannot be asked: it refuses the connection.');
  });

  it('need a certificate that is known, and a directory that speaks TLS', async () => {
    await set({ ca: '' });
    const { body } = await enter('anna', 'pass of anna');
    expect(body.error).to.equal(ErrorCode.PROVIDER_UNREACHABLE);
    expect(body.message).to.include('authority that is not known here');
    await set({ url: slapd.secureUrl.replace('ldaps', 'ldap') });
    expect((await enter('anna', 'pass of anna')).body.error).to.equal(ErrorCode.PROVIDER_UNREACHABLE);
  });

  it('are tried before the settings are stored, and a stored password goes to its own address only', async () => {
    const draft = { ...ldap, bind_password: mask };
    const test = (body: object) => client.call<Record<string, unknown>>('POST', '/sign-in/test', { ...body });
    expect((await test({ ldap: draft })).body).to.deep.equal({});
    expect((await test({ ldap: draft, name: 'anna', pass: 'pass of anna' })).body).to.deep.equal({
      user: 'anna',
      groups: [`cn=engineers,ou=groups,${base}`, `cn=watchers,ou=groups,${base}`],
      role: 'engineer',
    });
    expect((await test({ ldap: draft, name: 'carl', pass: 'pass of carl' })).body).not.to.have.property(
      'role',
    );
    expect((await test({ ldap: { ...draft, bind_password: 'wrong' } })).body['message']).to.match(
      /does not take "bind_dn"/,
    );
    expect((await test({ ldap: { ...draft, url: slapd.url } })).body['error']).to.equal(
      ErrorCode.PARAM_INVALID,
    );
    const anna = await gateway.anonymous().login('anna', 'pass of anna');
    expect(await anna.errorOf('POST', '/sign-in/test', { ldap: draft })).to.equal(
      ErrorCode.USER_NOT_PERMITTED,
    );
    expect(await anna.errorOf('GET', '/sign-in/settings')).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });

  it('stay signed in over a restart, until the settings change; no file has a password', async () => {
    const anna = await gateway.anonymous().login('anna', 'pass of anna');
    await gateway.stop();
    for (const { parentPath, name } of readdirSync(gateway.data, {
      recursive: true,
      withFileTypes: true,
    }).filter((entry) => entry.isFile()))
      for (const secret of ["reader's", ...people.map(({ password }) => password)])
        expect(readFileSync(join(parentPath, name)).includes(secret), `${name} has "${secret}"`).to.equal(
          false,
        );
    await gateway.start();
    await anna.ok('GET', '/node', { type: 1 });
    expect(await client.ok('GET', '/sign-in/settings')).to.deep.equal({
      ldap: { ...ldap, bind_password: mask },
    });
    expect(await selfOf('anna', 'pass of anna')).to.include({ role: 'engineer' });
    await client.ok('PUT', '/sign-in/settings', { ldap: { ...ldap, bind_password: mask, roles: [] } });
    expect(await anna.errorOf('GET', '/node', { type: 1 })).to.equal(ErrorCode.TOKEN_INVALID);
    expect((await enter('anna', 'pass of anna')).body.error).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });

  it('are not there while the directory is away, and are again when it is back', async () => {
    await slapd.stop();
    expect((await enter('anna', 'pass of anna')).body.error).to.equal(ErrorCode.PROVIDER_UNREACHABLE);
    expect(await selfOf('admin', '0000')).to.include({ role: 'admin' });
    await slapd.resume();
    await until('the directory answers', async () => (await enter('anna', 'pass of anna')).status === 200);
  });
});
