import { expect } from 'chai';
import type { Store } from '../../src/core/ports/ports.ts';
import { longestTurn } from '../longest-turn.ts';

/** A store that is open, and what was committed to it after it was closed and opened again. */
export interface TestedStore extends AsyncDisposable {
  readonly store: Store;
  reopened(): Promise<Store>;
}

/** What every store of the core promises; `open` makes an empty one. */
export function conformsToStore(open: () => Promise<TestedStore>): void {
  it('gives back what was committed, ascending by key, also after it was opened again', async () => {
    await using tested = await open();
    await tested.store.commit({
      set: [
        ['b', { text: 'ü"\n', list: [1, 2.5] }],
        ['c', 3],
        ['a/1', true],
      ],
    });
    await tested.store.commit({ set: [['b', 'new']], delete: ['c', 'never there'] });
    const expected = [
      ['a/1', true],
      ['b', 'new'],
    ];
    expect(await tested.store.load()).to.deep.equal(expected);
    expect(await (await tested.reopened()).load()).to.deep.equal(expected);
  });

  it('is empty in the beginning, and takes a change of nothing', async () => {
    await using tested = await open();
    expect(await tested.store.load()).to.deep.equal([]);
    await tested.store.commit({});
    expect(await (await tested.reopened()).load()).to.deep.equal([]);
  });

  it('keeps every digit of a 64-bit integer', async () => {
    await using tested = await open();
    const record = { value: 18446744073709551615n, small: 5 };
    await tested.store.commit({ set: [['a', record]] });
    expect(await (await tested.reopened()).load()).to.deep.equal([['a', record]]);
  });

  it('deletes a record that is both set and deleted', async () => {
    await using tested = await open();
    await tested.store.commit({ set: [['a', 1]] });
    await tested.store.commit({ set: [['a', 2]], delete: ['a'] });
    expect(await (await tested.reopened()).load()).to.deep.equal([]);
  });

  it('makes nothing of a change whose records end with an error', async () => {
    await using tested = await open();
    function* broken(): Generator<readonly [string, unknown]> {
      yield ['a', 1];
      throw new Error('no more');
    }
    let error: unknown;
    await tested.store.commit({ set: broken() }).catch((thrown: unknown) => (error = thrown));
    expect(String(error)).to.contain('no more');
    await tested.store.commit({ set: [['b', 2]] });
    expect(await (await tested.reopened()).load()).to.deep.equal([['b', 2]]);
  });

  it('makes changes that come at once in their order', async () => {
    await using tested = await open();
    const commits = Array.from({ length: 50 }, (_, index) => tested.store.commit({ set: [['a', index]] }));
    await Promise.all(commits);
    expect(await (await tested.reopened()).load()).to.deep.equal([['a', 49]]);
  });

  it('takes 20 000 records at once, while others have their turns', async () => {
    await using tested = await open();
    function* records(): Generator<readonly [string, unknown]> {
      for (let index = 0; index < 20_000; index++)
        yield [
          `tag/${String(index).padStart(6, '0')}`,
          { name: `t${index}`, address: `1!${400_000 + index}` },
        ];
    }
    const longest = await longestTurn(() => tested.store.commit({ set: records() }));
    // 4 ms are meant, and the rest is for a busy machine.
    expect(longest).to.be.below(150);
    expect(await (await tested.reopened()).load()).to.have.length(20_000);
  });
}
