import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Bench, codeOf, expectRefused, tag } from './harness.ts';

describe('groups with tags', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe' });
    await bench.gateway.groups.add('n', 'old', 500);
    await bench.gateway.tags.add('n', 'old', [tag('a')]);
    bench.runtime.take();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const add = (...groups: [name: string, ...tags: string[]][]): Promise<{ index: number; error: number }> =>
    bench.gateway.tags.addGrouped(
      'n',
      groups.map(([group, ...names]) => ({ group, interval: 200, tags: names.map((name) => tag(name)) })),
    );
  const listed = (): unknown =>
    bench.gateway.groups
      .list('n')
      .map(({ name, interval, tags }) => [name, interval, [...tags.values()].map((one) => one.name)]);

  it('are added together; a group that is there keeps its interval', async () => {
    expect(await add(['new', 'a', 'b'], ['old', 'b'], ['empty'])).to.deep.equal({ index: 3, error: 0 });
    const expected = [
      ['old', 500, ['a', 'b']],
      ['new', 200, ['a', 'b']],
      ['empty', 200, []],
    ];
    expect(listed()).to.deep.equal(expected);
    expect(bench.runtime.take()).to.have.members(['changed n/new', 'changed n/old', 'changed n/empty']);
    await bench.restart();
    expect(listed()).to.deep.equal(expected);
  });

  it('are added all or none; the index is the place of the bad one among all', async () => {
    const before = listed();
    const stored = await bench.store.load();
    const conflict = ErrorCode.TAG_NAME_CONFLICT;
    expectRefused(await add(['new', 'a', 'b'], ['old', 'b', 'a']), { index: 3, error: conflict });
    expectRefused(await add(['new', 'a', 'a']), { index: 1, error: conflict });
    bench.runtime.checkTag = ({ name }) => (name === 'bad' ? ErrorCode.TAG_TYPE_UNSUPPORTED : 0);
    expectRefused(await add(['new', 'a'], ['newer', 'b', 'bad', 'c']), {
      index: 2,
      error: ErrorCode.TAG_TYPE_UNSUPPORTED,
    });
    expect(await codeOf(add(['new', 'a'], ['new', 'b']))).to.equal(ErrorCode.GROUP_EXISTS);
    expect(listed()).to.deep.equal(before);
    expect(await bench.store.load()).to.deep.equal(stored);
    expect(bench.runtime.take()).to.deep.equal([]);
  });
});
