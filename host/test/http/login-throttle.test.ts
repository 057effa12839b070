import { ErrorCode } from '@tagway/schemas';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { LoginThrottle } from '../../src/core/logins/login-throttle.ts';
import { codeOf } from '../core/harness.ts';

describe('logins after failures', () => {
  const wrong = (): Promise<void> => Promise.reject(new Fault(ErrorCode.CREDENTIALS_INVALID));
  const right = (): Promise<void> => Promise.resolve();
  let throttle: LoginThrottle;
  /** Milliseconds that an address is left alone at most after its latest wrong attempt: twice as long as the attempt took. */
  let rest: number;

  beforeEach(() => {
    throttle = new LoginThrottle();
    rest = 0;
  });

  const fail = async (times: number, user = 'admin', address = '1.1.1.1'): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const begin = performance.now();
      const code = await codeOf(throttle.attempt(user, { address }, wrong));
      rest = Math.max(1, 2 * (performance.now() - begin));
      expect(code).to.equal(ErrorCode.CREDENTIALS_INVALID);
    }
  };

  /** Whether an attempt is made before anything else can happen, once the addresses are no longer left alone. */
  const isImmediate = async (user = 'admin', address = '1.1.1.1'): Promise<boolean> => {
    const rested = performance.now() + rest;
    while (performance.now() < rested) await delay(1);
    let isMade = false;
    const attempt = throttle.attempt(user, { address }, async () => {
      isMade = true;
    });
    const atOnce = isMade;
    await attempt;
    return atOnce;
  };

  it('are not held up by the first five', async () => {
    await fail(4);
    expect(await isImmediate()).to.equal(true);
  });

  it('wait after five, from the same address and for the same user alone', async () => {
    await fail(5);
    expect(await isImmediate('admin', '2.2.2.2')).to.equal(true);
    const first = performance.now();
    await throttle.attempt('other', { address: '1.1.1.1' }, right);
    expect(performance.now() - first).to.be.lessThan(200);
    const begin = performance.now();
    await throttle.attempt('admin', { address: '1.1.1.1' }, right);
    expect(performance.now() - begin).to.be.greaterThan(200);
  });

  it('are as quick as before after one that succeeds', async () => {
    await fail(5);
    await throttle.attempt('admin', { address: '1.1.1.1' }, right);
    expect(await isImmediate()).to.equal(true);
  });

  it('are not counted when they fail for another reason', async () => {
    for (let i = 0; i < 10; i++)
      expect(
        await codeOf(
          throttle.attempt('a', { address: 'b' }, () => Promise.reject(new Fault(ErrorCode.BUSY))),
        ),
      ).to.equal(ErrorCode.BUSY);
    expect(await isImmediate('a', 'b')).to.equal(true);
  });

  it('take turns, a few of them, and more are refused as busy', async () => {
    await fail(5);
    let together = 0;
    let most = 0;
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++together);
      await new Promise((resolve) => setTimeout(resolve, 5));
      together--;
    };
    const codes = await Promise.all(
      Array.from({ length: 15 }, () => codeOf(throttle.attempt('admin', { address: '1.1.1.1' }, slow))),
    );
    expect(codes.filter((code) => code === 0)).to.have.length(10);
    expect(codes.filter((code) => code === ErrorCode.BUSY)).to.have.length(5);
    expect(most).to.equal(1);
  });

  it('do not wait for one of an address that was wrong', async () => {
    await fail(1);
    const gate = Promise.withResolvers<void>();
    const slow = throttle.attempt('admin', { address: '1.1.1.1' }, () => gate.promise);
    const others = [throttle.attempt('admin', { address: '1.1.1.1' }, right)];
    await throttle.attempt('admin', { address: '2.2.2.2' }, right);
    gate.resolve();
    await Promise.all([slow, ...others]);
  });

  it('of very many users are not all remembered', async () => {
    await fail(5);
    for (let i = 0; i < 1000; i++) await fail(1, `user ${i}`);
    expect(await isImmediate()).to.equal(true);
  });

  it('go before those from addresses that were wrong more often', async () => {
    await fail(3, 'a', '1.1.1.1');
    await fail(1, 'b', '2.2.2.2');
    const gate = Promise.withResolvers<void>();
    const made: string[] = [];
    const from = (address: string): Promise<void> =>
      throttle.attempt('c', { address }, async () => void made.push(address));
    await fail(1, 'd', '3.3.3.3');
    const first = throttle.attempt('c', { address: '3.3.3.3' }, () => gate.promise);
    const others = [from('1.1.1.1'), from('2.2.2.2'), from('4.4.4.4')];
    await others[2];
    gate.resolve();
    await Promise.all([first, ...others]);
    expect(made).to.deep.equal(['4.4.4.4', '2.2.2.2', '1.1.1.1']);
  });
});
