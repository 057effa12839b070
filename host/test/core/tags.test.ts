import { Attribute, DataType, ErrorCode, type GroupPace } from '@tagway/schemas';
import { expect } from 'chai';
import type { TagBody } from '../../src/core/model.ts';
import type { BatchResult } from '../../src/core/tags/tag-batch.ts';
import { Bench, codeOf, expectRefused, tag } from './harness.ts';

const { READ, WRITE, SUBSCRIBE, STATIC } = Attribute;
const long = 'x'.repeat(128);

describe('groups and tags', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'a', plugin: 'Probe' });
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink' });
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const groups = (): [string, number][] =>
    bench.gateway.groups.list('a').map(({ name, interval }) => [name, interval]);
  const names = (group = 'g'): string[] => bench.gateway.tags.list('a', group).map(({ name }) => name);

  describe('a group', () => {
    it('is refused in the order name, node, interval, app, name taken', async () => {
      const add = (node: string, name: string, interval: number): Promise<number> =>
        codeOf(bench.gateway.groups.add(node, name, interval));
      expect(await add('a', 'g', 100)).to.equal(0);
      expect(await add('none', '', 1)).to.equal(ErrorCode.BODY_INVALID);
      expect(await add(long, 'g', 1)).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
      expect(await add('none', long, 1)).to.equal(ErrorCode.GROUP_NAME_TOO_LONG);
      expect(await add('none', 'g', 1)).to.equal(ErrorCode.NODE_NOT_FOUND);
      for (const interval of [99, 100.5, 2 ** 32, -1, NaN]) {
        expect(await add('up', 'g', interval)).to.equal(ErrorCode.GROUP_PARAM_INVALID);
      }
      expect(await add('up', 'g', 100)).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
      expect(await add('a', 'g', 100)).to.equal(ErrorCode.GROUP_EXISTS);
      expect(await add('a', 'h', 2 ** 32 - 1)).to.equal(0);
      expect(groups()).to.deep.equal([
        ['g', 100],
        ['h', 2 ** 32 - 1],
      ]);
    });

    it('has a pace of which each part changes alone, and which is gone with its defaults', async () => {
      const pace = () => bench.gateway.groups.list('a')[0]?.pace;
      const change = (given: GroupPace): Promise<number> =>
        codeOf(bench.gateway.groups.update('a', 'g', { pace: given }));
      const given = { report: 'change', max_interval: 60_000 } as const;
      await bench.gateway.groups.add('a', 'g', 100, { pace: given });
      bench.runtime.take();
      expect(await change({ min_interval: 500 })).to.equal(0);
      const whole = { report: 'change', min_interval: 500, max_interval: 60_000 };
      expect(pace()).to.deep.equal(whole);
      expect(bench.runtime.take()).to.deep.equal(['changed a/g']);
      expect(await change({ report: 'change' })).to.equal(0);
      expect(bench.runtime.take()).to.deep.equal([]);
      for (const bad of [
        { min_interval: 60_001 },
        { max_interval: 499 },
        { min_interval: -1 },
        { max_interval: 0.5 },
        { max_interval: 2 ** 32 },
      ])
        expect(await change(bad), JSON.stringify(bad)).to.equal(ErrorCode.GROUP_PARAM_INVALID);
      expect(await codeOf(bench.gateway.groups.update('a', 'g', { pace: {} }))).to.equal(
        ErrorCode.BODY_INVALID,
      );
      await bench.gateway.groups.update('a', 'g', { interval: 200 });
      await bench.restart();
      expect(pace()).to.deep.equal(whole);
      expect(await change({ report: 'default', min_interval: 0, max_interval: 0 })).to.equal(0);
      await bench.restart();
      expect(pace()).to.equal(undefined);
    });

    it('can get another name, another interval or both, and keeps its place', async () => {
      await bench.gateway.groups.add('a', 'g', 100);
      await bench.gateway.groups.add('a', 'h', 200);
      bench.runtime.take();
      await bench.gateway.groups.update('a', 'g', { newName: 'z' });
      await bench.gateway.groups.update('a', 'z', { interval: 300 });
      await bench.gateway.groups.update('a', 'z', { newName: 'y', interval: 400 });
      expect(bench.runtime.take()).to.deep.equal(['changed a/z', 'changed a/z', 'changed a/y']);
      await bench.gateway.groups.update('a', 'y', { newName: 'y', interval: 400 });
      expect(bench.runtime.take()).to.deep.equal([]);
      expect(groups()).to.deep.equal([
        ['y', 400],
        ['h', 200],
      ]);
      await bench.restart();
      expect(groups()).to.deep.equal([
        ['y', 400],
        ['h', 200],
      ]);
    });

    it('refuses an update in the order body, node, app, group, name taken', async () => {
      await bench.gateway.groups.add('a', 'g', 100);
      await bench.gateway.groups.add('a', 'h', 100);
      const update = (
        node: string,
        group: string,
        change: { newName?: string; interval?: number },
      ): Promise<number> => codeOf(bench.gateway.groups.update(node, group, change));
      expect(await update('none', 'g', {})).to.equal(ErrorCode.BODY_INVALID);
      expect(await update('none', 'g', { newName: '' })).to.equal(ErrorCode.BODY_INVALID);
      expect(await update('none', 'g', { newName: long })).to.equal(ErrorCode.GROUP_NAME_TOO_LONG);
      expect(await update('none', 'g', { interval: 1 })).to.equal(ErrorCode.GROUP_PARAM_INVALID);
      expect(await update('none', 'g', { newName: 'h' })).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(await update('up', 'g', { newName: 'h' })).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
      expect(await update('a', 'none', { newName: 'h' })).to.equal(ErrorCode.GROUP_NOT_FOUND);
      expect(await update('a', 'g', { newName: 'h' })).to.equal(ErrorCode.GROUP_EXISTS);
    });

    it('is deleted with its tags', async () => {
      await bench.gateway.tags.add('a', 'g', [tag('t')]);
      expect(await codeOf(bench.gateway.groups.delete('none', 'g'))).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(await codeOf(bench.gateway.groups.delete('up', 'g'))).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
      expect(await codeOf(bench.gateway.groups.delete('a', 'none'))).to.equal(ErrorCode.GROUP_NOT_FOUND);
      await bench.gateway.groups.delete('a', 'g');
      expect(bench.runtime.take().at(-1)).to.equal('removed a/g');
      await bench.restart();
      expect(groups()).to.deep.equal([]);
      expect(bench.errors).to.deep.equal([]);
    });
  });

  describe('adding tags', () => {
    it('makes the group when it is missing, unless no tag can be added', async () => {
      bench.runtime.checkTag = ({ name }) => (name === 'bad' ? ErrorCode.TAG_ADDRESS_INVALID : 0);
      expectRefused(await bench.gateway.tags.add('a', 'g', [tag('bad'), tag('t')]), {
        index: 0,
        error: ErrorCode.TAG_ADDRESS_INVALID,
      });
      expect(await bench.gateway.tags.add('a', 'g', [])).to.deep.equal({ index: 0, error: 0 });
      expect(groups()).to.deep.equal([]);
      expect(await bench.gateway.tags.add('a', 'g', [tag('t')])).to.deep.equal({ index: 1, error: 0 });
      expect(groups()).to.deep.equal([['g', 1000]]);
    });

    it('keeps the tags before the first that is refused, whoever refuses it', async () => {
      bench.runtime.checkTag = ({ address }) => (address === 'bad' ? ErrorCode.TAG_ADDRESS_INVALID : 0);
      const add = (...tags: TagBody[]): Promise<BatchResult> => bench.gateway.tags.add('a', 'g', tags);
      expectRefused(await add(tag('1'), tag('2', { address: 'bad' }), tag('3', { precision: 18 })), {
        index: 1,
        error: ErrorCode.TAG_ADDRESS_INVALID,
      });
      expectRefused(await add(tag('2'), tag('3', { precision: 18 }), tag('4', { address: 'bad' })), {
        index: 1,
        error: ErrorCode.TAG_PRECISION_INVALID,
      });
      expectRefused(await add(tag('3'), tag('1'), tag('4', { address: 'bad' })), {
        index: 1,
        error: ErrorCode.TAG_NAME_CONFLICT,
      });
      expectRefused(await add(tag('4'), tag('5'), tag('4'), tag('6')), {
        index: 2,
        error: ErrorCode.TAG_NAME_CONFLICT,
      });
      expect(names()).to.deep.equal(['1', '2', '3', '4', '5']);
      await bench.restart();
      expect(names()).to.deep.equal(['1', '2', '3', '4', '5']);
    });

    it('rejects as a whole without a node, for an app, and with an empty name', async () => {
      const add = (node: string, group: string, name = 't'): Promise<number> =>
        codeOf(bench.gateway.tags.add(node, group, [tag(name)]));
      expect(await add('none', 'g')).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(await add('up', 'g')).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
      expect(await add('none', '')).to.equal(ErrorCode.BODY_INVALID);
      expect(await add('none', 'g', '')).to.equal(ErrorCode.BODY_INVALID);
      expect(await add('none', long)).to.equal(ErrorCode.GROUP_NAME_TOO_LONG);
    });

    const flaws: [what: string, rest: Parameters<typeof tag>[1], code: number][] = [
      ['a name too long', { name: long, address: long }, ErrorCode.TAG_NAME_TOO_LONG],
      ['an address too long', { address: long, description: long }, ErrorCode.TAG_ADDRESS_TOO_LONG],
      ['a description too long', { description: long, precision: 18 }, ErrorCode.TAG_DESCRIPTION_TOO_LONG],
      ['precision 18', { precision: 18, type: DataType.BOOL, bias: 1 }, ErrorCode.TAG_PRECISION_INVALID],
      ['precision -1', { precision: -1 }, ErrorCode.TAG_PRECISION_INVALID],
      ['precision 1.5', { precision: 1.5 }, ErrorCode.TAG_PRECISION_INVALID],
      [
        'a decimal on a STRING',
        { type: DataType.STRING, decimal: 0.1, bias: 1 },
        ErrorCode.TAG_DECIMAL_INVALID,
      ],
      [
        'a bias on a BOOL',
        { type: DataType.BOOL, bias: 1, attribute: Attribute.SUBSCRIBE | Attribute.STATIC },
        ErrorCode.TAG_BIAS_INVALID,
      ],
      ['a deadband on a STRING', { type: DataType.STRING, deadband: 1 }, ErrorCode.TAG_DEADBAND_INVALID],
      ['a deadband on a BOOL', { type: DataType.BOOL, deadband: 1 }, ErrorCode.TAG_DEADBAND_INVALID],
      ['a negative deadband', { deadband: -1 }, ErrorCode.TAG_DEADBAND_INVALID],
      ['an infinite deadband', { deadband: Infinity }, ErrorCode.TAG_DEADBAND_INVALID],
      ['a percentage without a span', { deadband: '2%' }, ErrorCode.TAG_DEADBAND_INVALID],
      ['more than the span', { deadband: '101%', low: 0, high: 1 }, ErrorCode.TAG_DEADBAND_INVALID],
      ['a text as deadband', { deadband: 'two', low: 0, high: 1 }, ErrorCode.TAG_DEADBAND_INVALID],
      ['low without high', { low: 0 }, ErrorCode.TAG_SPAN_INVALID],
      ['low equal to high', { low: 1, high: 1 }, ErrorCode.TAG_SPAN_INVALID],
      ['a span on a BOOL', { type: DataType.BOOL, low: 0, high: 1 }, ErrorCode.TAG_SPAN_INVALID],
      ['a unit too long', { unit: '\u00b0'.repeat(17) }, ErrorCode.TAG_UNIT_INVALID],
      [
        'static and subscribe',
        { attribute: STATIC | SUBSCRIBE, value: 1 },
        ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      ],
      ['an unknown attribute', { attribute: 16 }, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
    ];
    for (const [what, rest, error] of flaws) {
      it(`refuses ${what} with ${error}`, async () => {
        const { message, ...result } = await bench.gateway.tags.add('a', 'g', [tag('t', rest)]);
        expect(result).to.deep.equal({ index: 0, error });
        expect(message).to.match(/^The tag ".+" has .+tags\[0\]/);
      });
    }

    it('does not ask the plugin about static tags', async () => {
      bench.runtime.checkTag = () => ErrorCode.TAG_ADDRESS_INVALID;
      const value = 18446744073709551615n;
      const body = tag('s', { address: '', attribute: STATIC | READ, type: DataType.UINT64, value });
      expect(await bench.gateway.tags.add('a', 'g', [body])).to.deep.equal({ index: 1, error: 0 });
      await bench.restart();
      expect(bench.gateway.tags.list('a', 'g')[0]?.value).to.equal(value);
    });

    it('takes the same few records for one tag however large the group is', async () => {
      const commits: number[] = [];
      const { commit } = bench.store;
      await bench.gateway.tags.add(
        'a',
        'g',
        Array.from({ length: 5000 }, (_, i) => tag(`t${i}`)),
      );
      bench.store.commit = (changes) => {
        const set = [...(changes.set ?? [])];
        const deleted = [...(changes.delete ?? [])];
        commits.push(set.length + deleted.length);
        return commit.call(bench.store, { set, delete: deleted });
      };
      await bench.gateway.tags.add('a', 'g', [tag('one more')]);
      await bench.gateway.tags.update('a', 'g', [tag('one more', { address: '2' })]);
      await bench.gateway.tags.delete('a', 'g', ['one more']);
      expect(commits).to.deep.equal([2, 1, 1]);
    });
  });

  describe('updating tags', () => {
    beforeEach(() =>
      bench.gateway.tags.add('a', 'g', [tag('1', { description: 'old' }), tag('2'), tag('3')]),
    );

    const update = (...tags: ReturnType<typeof tag>[]): ReturnType<typeof bench.gateway.tags.update> =>
      bench.gateway.tags.update('a', 'g', tags);

    it('replaces them whole, in their places', async () => {
      expect(await update(tag('2', { address: '9' }), tag('1', { precision: 2 }))).to.deep.equal({
        index: 2,
        error: 0,
      });
      const [first, second] = bench.gateway.tags.list('a', 'g');
      expect(first).to.deep.include({ name: '1', precision: 2, description: '' });
      expect(second).to.deep.include({ name: '2', address: '9' });
      const before = bench.picture();
      await bench.restart();
      expect(bench.picture()).to.deep.equal(before);
    });

    it('stops at the first that is refused or missing', async () => {
      bench.runtime.checkTag = ({ address }) => (address === 'bad' ? ErrorCode.TAG_TYPE_UNSUPPORTED : 0);
      const changed = tag('1', { address: '9' });
      expectRefused(await update(changed, tag('none'), tag('3', { address: 'bad' })), {
        index: 1,
        error: ErrorCode.TAG_NOT_FOUND,
      });
      expectRefused(await update(changed, tag('3', { address: 'bad' }), tag('none')), {
        index: 1,
        error: ErrorCode.TAG_TYPE_UNSUPPORTED,
      });
      expect(await codeOf(bench.gateway.tags.update('a', 'none', [changed]))).to.equal(
        ErrorCode.GROUP_NOT_FOUND,
      );
      expect(await codeOf(bench.gateway.tags.update('none', 'g', [changed]))).to.equal(
        ErrorCode.NODE_NOT_FOUND,
      );
      expect(await codeOf(bench.gateway.tags.update('up', 'g', [changed]))).to.equal(
        ErrorCode.GROUP_NOT_ALLOWED,
      );
    });

    it('leaves the identity of a tag that stays as it is, and with it its value', async () => {
      const before = bench.gateway.tags.list('a', 'g');
      bench.runtime.take();
      expect(await update(tag('2'))).to.deep.equal({ index: 1, error: 0 });
      expect(bench.runtime.take()).to.deep.equal([]);
      await update(tag('1'), tag('2'));
      const after = bench.gateway.tags.list('a', 'g');
      expect(after.map((one, i) => one === before[i])).to.deep.equal([false, true, true]);
    });
  });

  it('deleting ignores names and groups that do not exist', async () => {
    await bench.gateway.tags.add('a', 'g', [tag('1'), tag('2'), tag('3')]);
    await bench.gateway.tags.delete('a', 'g', ['2', 'none', '2']);
    expect(names()).to.deep.equal(['1', '3']);
    expect(await codeOf(bench.gateway.tags.delete('a', 'none', ['1']))).to.equal(0);
    expect(await codeOf(bench.gateway.tags.delete('none', 'g', ['1']))).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await codeOf(bench.gateway.tags.delete('up', 'g', ['1']))).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    await bench.restart();
    expect(names()).to.deep.equal(['1', '3']);
  });

  it('lists tags by a part of their name', async () => {
    await bench.gateway.tags.add('a', 'g', [
      tag('temp 1'),
      tag('level'),
      tag('temp 2', { attribute: WRITE }),
    ]);
    expect(bench.gateway.tags.list('a', 'g', 'temp').map(({ name }) => name)).to.deep.equal([
      'temp 1',
      'temp 2',
    ]);
    expect(bench.gateway.tags.list('a', 'g', '')).to.have.lengthOf(3);
    expect(await codeOf(() => bench.gateway.tags.list('a', 'none'))).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await codeOf(() => bench.gateway.tags.list('none', 'g'))).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await codeOf(() => bench.gateway.groups.list('up'))).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
  });
});

describe('a renamed tag', () => {
  it('keeps its place and its record, and the runtime hears of it', async () => {
    await using bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe' });
    await bench.gateway.tags.add('n', 'g', [tag('a'), tag('b', { description: 'text' }), tag('c')]);
    bench.runtime.take();
    const rename = (from: string, to: string): Promise<number> =>
      codeOf(bench.gateway.tags.rename('n', 'g', from, to));
    expect(await rename('b', 'b')).to.equal(0);
    expect(await rename('b', 'c')).to.equal(ErrorCode.TAG_NAME_CONFLICT);
    expect(await rename('x', 'x')).to.equal(ErrorCode.TAG_NOT_FOUND);
    expect(await rename('b', '')).to.equal(ErrorCode.PARAM_INVALID);
    expect(bench.runtime.take()).to.deep.equal([]);
    const [, old] = bench.gateway.tags.list('n', 'g');
    expect(await rename('b', '__proto__')).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['changed n/g']);
    const tags = bench.gateway.tags.list('n', 'g');
    expect(tags.map(({ name }) => name)).to.deep.equal(['a', '__proto__', 'c']);
    expect(tags[1]).to.deep.equal({ ...old, name: '__proto__' });
    await bench.restart();
    expect(bench.gateway.tags.list('n', 'g')).to.deep.equal(tags);
    expect(await bench.gateway.tags.add('n', 'g', [tag('b')])).to.deep.equal({ index: 1, error: 0 });
  });
});
