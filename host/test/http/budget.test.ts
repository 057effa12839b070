import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { Budget, type BudgetOptions } from '../../src/http/budget.ts';

const options: BudgetOptions = {
  each: { share: 0.1, burst: 100 },
  all: { share: 0.2, burst: 200 },
  rare: { share: 0.1, burst: 150 },
  longestWait: 300,
  waitingMost: 3,
};

describe('the budget of clients without a token', () => {
  let now: number;
  let budget: Budget;
  let told: string[];
  beforeEach(() => {
    now = 1000;
    told = [];
    budget = new Budget(
      options,
      () => now,
      () => now,
    );
  });
  afterEach(() => budget.close());

  /** Asks for a turn that takes so many milliseconds. */
  const ask = (client: string, takes = 0, isOver = false): void =>
    budget.admit(client, {
      isOver: () => isOver,
      start: () => {
        told.push(client);
        now += takes;
      },
      refuse: (seconds) => told.push(`${client} refused for ${seconds} s`),
    });

  /** Lets time pass, and what waits for it happen. */
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    const end = performance.now() + 60;
    while (performance.now() < end) await turn();
  };

  it('is there for who has taken nothing', () => {
    ask('a');
    ask('b');
    expect(told).to.deep.equal(['a', 'b']);
  });

  it('lets who has used it up wait until there is some again', async () => {
    ask('a', 120);
    await turn();
    ask('a');
    await pass(100);
    expect(told).to.deep.equal(['a']);
    await pass(150);
    expect(told).to.deep.equal(['a', 'a']);
  });

  it('is measured over the whole turn of the loop', async () => {
    ask('a');
    now += 120;
    await turn();
    ask('a');
    expect(told).to.deep.equal(['a']);
  });

  it('goes on in another turn of the loop when one takes long', async () => {
    ask('a', 20);
    ask('b');
    expect(told).to.deep.equal(['a']);
    await pass(0);
    expect(told).to.deep.equal(['a', 'b']);
  });

  it('is of each client alone', async () => {
    ask('a', 120);
    await turn();
    ask('b');
    expect(told).to.deep.equal(['a', 'b']);
  });

  it('is of all together, too, and who has taken least goes first', async () => {
    budget.charge('a', 60);
    budget.charge('b', 55);
    budget.charge('c', 60);
    budget.charge('c', 250);
    ask('a');
    ask('b');
    expect(told).to.deep.equal([]);
    await pass(300);
    expect(told).to.deep.equal(['b', 'a']);
  });

  it('is another one for those who have taken little', async () => {
    budget.charge('attacker', 90);
    budget.charge('attacker', 1000);
    for (let i = 0; i < 3; i++) ask('attacker');
    ask('somebody');
    expect(told).to.deep.equal(['somebody']);
  });

  it('is small for those who have taken little, however many they are', async () => {
    for (let i = 0; i < 4; i++) budget.charge(`attacker ${i}`, 42);
    ask('one more');
    expect(told).to.deep.equal([]);
    await pass(250);
    expect(told).to.deep.equal(['one more']);
  });

  it('refuses what waits too long, and more than a few, and says when to come back', async () => {
    ask('a', 200);
    await turn();
    for (let i = 0; i < 4; i++) ask('a');
    expect(told).to.deep.equal(['a', 'a refused for 1 s']);
    await pass(310);
    expect(told.filter((line) => line.includes('refused'))).to.have.length(4);
  });

  it('does nothing for who is gone, and keeps no place for them', async () => {
    ask('a', 120);
    await turn();
    for (let i = 0; i < 10; i++) ask('a', 0, true);
    ask('a');
    await pass(250);
    expect(told).to.deep.equal(['a', 'a']);
  });

  it('tells who is far in debt', async () => {
    budget.charge('a', 150);
    expect(budget.isFarInDebt('a')).to.equal(false);
    budget.charge('a', 60);
    expect(budget.isFarInDebt('a')).to.equal(true);
    expect(budget.isFarInDebt('b')).to.equal(false);
  });
});
