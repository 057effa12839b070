import { expect } from 'chai';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { RateLimiter, type RateLimiterOptions } from '../../src/http/guard/rate-limiter.ts';

const options: RateLimiterOptions = {
  each: { share: 0.1, burst: 100 },
  all: { share: 0.2, burst: 200 },
  rare: { share: 0.1, burst: 150 },
  longestWait: 300,
  waitingMost: 3,
};

describe('the rate limit of clients without a token', () => {
  let now: number;
  let rateLimiter: RateLimiter;
  let calls: string[];
  beforeEach(() => {
    now = 1000;
    calls = [];
    rateLimiter = new RateLimiter(
      options,
      () => now,
      () => now,
    );
  });
  afterEach(() => rateLimiter.close());

  /** Asks for a turn that takes so many milliseconds. */
  const ask = (client: string, takes = 0, isOver = false): void =>
    rateLimiter.admit(client, {
      isOver: () => isOver,
      start: () => {
        calls.push(client);
        now += takes;
      },
      refuse: (seconds) => calls.push(`${client} refused for ${seconds} s`),
    });

  /** Lets time pass, and what waits for it happen. */
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    // Longer than the pause between two looks, whose timer ends first; then one request is started in each pass of the loop.
    await delay(40);
    for (let i = 0; i < 10; i++) await turn();
  };

  it('is there for who has taken nothing', () => {
    ask('a');
    ask('b');
    expect(calls).to.deep.equal(['a', 'b']);
  });

  it('lets who has used it up wait until there is some again', async () => {
    ask('a', 120);
    await turn();
    ask('a');
    await pass(100);
    expect(calls).to.deep.equal(['a']);
    await pass(150);
    expect(calls).to.deep.equal(['a', 'a']);
  });

  it('is measured over the whole turn of the loop', async () => {
    ask('a');
    now += 120;
    await turn();
    ask('a');
    expect(calls).to.deep.equal(['a']);
  });

  it('goes on in another turn of the loop when one takes long', async () => {
    ask('a', 20);
    ask('b');
    expect(calls).to.deep.equal(['a']);
    await pass(0);
    expect(calls).to.deep.equal(['a', 'b']);
  });

  it('is of each client alone', async () => {
    ask('a', 120);
    await turn();
    ask('b');
    expect(calls).to.deep.equal(['a', 'b']);
  });

  it('is of all together, too, and who has taken least goes first', async () => {
    rateLimiter.charge('a', 60);
    rateLimiter.charge('b', 55);
    rateLimiter.charge('c', 60);
    rateLimiter.charge('c', 250);
    ask('a');
    ask('b');
    expect(calls).to.deep.equal([]);
    await pass(300);
    expect(calls).to.deep.equal(['b', 'a']);
  });

  it('is another one for those who have taken little', async () => {
    rateLimiter.charge('attacker', 90);
    rateLimiter.charge('attacker', 1000);
    for (let i = 0; i < 3; i++) ask('attacker');
    ask('somebody');
    expect(calls).to.deep.equal(['somebody']);
  });

  it('is small for those who have taken little, however many they are', async () => {
    for (let i = 0; i < 4; i++) rateLimiter.charge(`attacker ${i}`, 42);
    ask('one more');
    expect(calls).to.deep.equal([]);
    await pass(250);
    expect(calls).to.deep.equal(['one more']);
  });

  it('refuses what waits too long, and more than a few, and says when to come back', async () => {
    ask('a', 200);
    await turn();
    for (let i = 0; i < 4; i++) ask('a');
    expect(calls).to.deep.equal(['a', 'a refused for 1 s']);
    await pass(310);
    expect(calls.filter((line) => line.includes('refused'))).to.have.length(4);
  });

  it('does nothing for who is gone, and keeps no place for them', async () => {
    ask('a', 120);
    await turn();
    for (let i = 0; i < 10; i++) ask('a', 0, true);
    ask('a');
    await pass(250);
    expect(calls).to.deep.equal(['a', 'a']);
  });

  it('tells who is far in debt', async () => {
    rateLimiter.charge('a', 150);
    expect(rateLimiter.isFarInDebt('a')).to.equal(false);
    rateLimiter.charge('a', 60);
    expect(rateLimiter.isFarInDebt('a')).to.equal(true);
    expect(rateLimiter.isFarInDebt('b')).to.equal(false);
  });
});
