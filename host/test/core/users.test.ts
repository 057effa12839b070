import { scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Asking } from '../../src/core/access/users.ts';
import { Gateway } from '../../src/core/gateway.ts';
import { openSqliteStore } from '../../src/store/store.ts';
import { Bench, codeOf, portsIn } from './harness.ts';

describe('users', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const login = (name: string, password: string): Promise<number> =>
    codeOf(bench.gateway.users.login(name, password));
  const change = (name: string, from: string, to: string): Promise<number> =>
    codeOf(bench.gateway.users.changePassword(name, from, to));

  it('are admin with 0000 at the first start', async () => {
    expect(await login('admin', '0000')).to.equal(0);
    for (const [name, password] of [
      ['admin', '0001'],
      ['admin', ''],
      ['Admin', '0000'],
      ['', ''],
      ['admin', 'x'.repeat(1000)],
    ] as const) {
      expect(await login(name, password)).to.equal(ErrorCode.CREDENTIALS_INVALID);
    }
  });

  it('change their password; it is refused in the order length, user, old password, no change', async () => {
    expect(await change('none', 'wrong', '123')).to.equal(ErrorCode.PASSWORD_LENGTH);
    expect(await change('none', 'wrong', 'ü'.repeat(33))).to.equal(ErrorCode.PASSWORD_LENGTH);
    expect(await change('none', '0000', '0000')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(await change('admin', 'wrong', 'wrong')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(await change('admin', '0000', '0000')).to.equal(ErrorCode.PASSWORD_DUPLICATE);
    expect(await change('admin', '0000', 'ü'.repeat(32))).to.equal(0);
    await bench.restart();
    expect(await login('admin', '0000')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(await login('admin', 'ü'.repeat(32))).to.equal(0);
    await bench.gateway.users.resetPassword();
    await bench.restart();
    expect(await login('admin', '0000')).to.equal(0);
  });

  it('are stored without their password', async () => {
    await bench.gateway.users.changePassword('admin', '0000', 'a secret of mine');
    expect(JSON.stringify(await bench.store.load())).to.not.include('a secret of mine');
  });

  it('do not come back with the default password when their record was damaged', async () => {
    await bench.store.commit({ set: [['user/admin', 'nonsense']] });
    await bench.restart();
    expect(await login('admin', '0000')).to.equal(ErrorCode.CREDENTIALS_INVALID);
    expect(bench.errors.join('\n'))
      .to.match(/"user\/admin" was skipped/)
      .and.match(/--reset-password/);
  });

  it('are told that the server is busy when very many log in at once', async () => {
    const codes = await Promise.all(Array.from({ length: 103 }, () => login('admin', '0000')));
    expect(codes.filter((code) => code === ErrorCode.BUSY)).to.have.lengthOf(3);
  }).timeout(30_000);

  /** Who calls through the API: an admin manages users. */
  const as = (user: string): Asking => ({ user, manages: bench.gateway.users.roleOf(user) === 'admin' });
  const add = (asking: string, name: string, password = 'secret'): Promise<number> =>
    codeOf(bench.gateway.users.add(as(asking), name, password));
  const set = (asking: string, name: string, password: string): Promise<number> =>
    codeOf(bench.gateway.users.update(as(asking), name, { password }));
  const remove = (asking: string, name: string): Promise<number> =>
    codeOf(bench.gateway.users.delete(as(asking), name));

  it('are added by the first user, and are there after a restart', async () => {
    expect(await add('admin', 'viewer')).to.equal(0);
    expect(await add('admin', 'a/b "c"')).to.equal(0);
    expect(await add('admin', '__proto__')).to.equal(0);
    expect(await login('viewer', 'secret')).to.equal(0);
    await bench.restart();
    expect(bench.gateway.users.list()).to.deep.equal([
      { name: '__proto__', role: 'engineer' },
      { name: 'a/b "c"', role: 'engineer' },
      { name: 'admin', role: 'admin' },
      { name: 'viewer', role: 'engineer' },
    ]);
    expect(await login('a/b "c"', 'secret')).to.equal(0);
    expect(await login('__proto__', 'secret')).to.equal(0);
    expect(await login('viewer', '0000')).to.equal(ErrorCode.CREDENTIALS_INVALID);
  });

  it('are refused in the order permission, name, password, existence', async () => {
    expect(await add('viewer', 'abc', 'x')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await add('admin', 'abc', 'x')).to.equal(ErrorCode.USER_NAME_LENGTH);
    expect(await add('admin', 'ü'.repeat(17), 'x')).to.equal(ErrorCode.USER_NAME_LENGTH);
    expect(await add('admin', 'admin', 'x')).to.equal(ErrorCode.PASSWORD_LENGTH);
    expect(await add('admin', 'admin')).to.equal(ErrorCode.USER_EXISTS);
  });

  it('are added once when two add the same at once', async () => {
    const codes = await Promise.all([add('admin', 'twin', 'first'), add('admin', 'twin', 'second')]);
    expect(codes.toSorted()).to.deep.equal([0, ErrorCode.USER_EXISTS]);
    expect(await login('twin', codes[0] === 0 ? 'first' : 'second')).to.equal(0);
  });

  it('have their password set by themselves and by the first user, to another one than it is', async () => {
    await add('admin', 'viewer');
    await add('admin', 'operator');
    expect(await set('operator', 'viewer', 'changed')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await set('operator', 'admin', 'changed')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await set('admin', 'absent', 'changed')).to.equal(ErrorCode.USER_NOT_FOUND);
    expect(await set('admin', 'viewer', 'abc')).to.equal(ErrorCode.PASSWORD_LENGTH);
    expect(await set('admin', 'viewer', 'secret')).to.equal(ErrorCode.PASSWORD_DUPLICATE);
    expect(await set('admin', 'viewer', 'changed')).to.equal(0);
    expect(await set('viewer', 'viewer', 'changed again')).to.equal(0);
    expect(await login('viewer', 'changed again')).to.equal(0);
    expect(await login('operator', 'secret')).to.equal(0);
  });

  it('are deleted by the first user, who stays; a change of password under way does not bring them back', async () => {
    await add('admin', 'viewer');
    expect(await remove('viewer', 'viewer')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await remove('admin', 'admin')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await remove('admin', 'absent')).to.equal(ErrorCode.USER_NOT_FOUND);
    const changing = set('admin', 'viewer', 'changed');
    expect(await remove('admin', 'viewer')).to.equal(0);
    expect(await changing).to.equal(ErrorCode.USER_NOT_FOUND);
    await bench.restart();
    expect(bench.gateway.users.list()).to.deep.equal([{ name: 'admin', role: 'admin' }]);
    expect(bench.gateway.users.roleOf('viewer')).to.equal(undefined);
    expect(await login('viewer', 'changed')).to.equal(ErrorCode.CREDENTIALS_INVALID);
  });
});

describe('tokens of machines that are stored', () => {
  it('are there after a restart, without their secret, and end in time', async () => {
    await using bench = await Bench.open();
    const admin = { user: 'admin', manages: true };
    const { secret } = await bench.gateway.machineTokens.add(admin, 'a/b', 'viewer', 1);
    const { secret: past } = await bench.gateway.machineTokens.add(admin, 'past', 'viewer', -1);
    expect(JSON.stringify(await bench.store.load())).not.to.include(secret);
    await bench.restart();
    const { machineTokens } = bench.gateway;
    expect(machineTokens.use(secret)).to.deep.equal({ name: 'a/b', role: 'viewer' });
    expect(() => machineTokens.use(past)).to.throw('expired');
    await machineTokens.delete(admin, 'a/b');
    await bench.restart();
    expect(() => bench.gateway.machineTokens.use(secret)).to.throw('revoked');
  });
});

describe('the passwords of users', () => {
  it('are kept as hashes that take long to make, unless a gateway is made for tests', async () => {
    await using bench = await Bench.open();
    const store = openSqliteStore(join(bench.folder, 'other.db'));
    const { hashCost: _, ...ports } = portsIn(bench.folder, store);
    const gateway = new Gateway(ports);
    await gateway.load();
    await gateway.users.login('admin', '0000');
    const [[, admin] = []] = (await store.load()).filter(([key]) => key === 'user/admin');
    await store.close();
    const { hash, salt } = admin as { hash: string; salt: string };
    const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
    expect(scryptSync('0000', Buffer.from(salt, 'base64'), 32, options).toString('base64')).to.equal(hash);
  });
});

describe('users of before there were roles', () => {
  it('are engineers, and the first one is an admin; their tokens go on', async () => {
    await using bench = await Bench.open();
    await bench.gateway.users.add({ user: 'admin', manages: true }, 'older', 'secret');
    const strip = (record: unknown) => {
      const { hash, salt } = record as { hash: string; salt: string };
      return { hash, salt };
    };
    const users = (await bench.store.load()).filter(([key]) => key.startsWith('user/'));
    await bench.store.commit({ set: users.map(([key, record]) => [key, strip(record)]) });
    await bench.restart();
    expect(bench.gateway.users.list()).to.deep.equal([
      { name: 'admin', role: 'admin' },
      { name: 'older', role: 'engineer' },
    ]);
    expect(bench.gateway.users.admits('older', undefined, 'any token')).to.equal(true);
  });
});
