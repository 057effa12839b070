import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Bench, codeOf } from './harness.ts';

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
});
