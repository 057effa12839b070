import { expect } from 'chai';
import { EventParser } from '../src/live/event-parser.ts';
import { groupKey, HubCache } from '../src/live/hub-cache.ts';
import type { HubMessage } from '../src/live/messages.ts';

const values = (full: boolean, ...tags: [name: string, value: number][]): HubMessage => ({
  kind: 'values',
  full,
  node: 'plc',
  group: 'fast',
  time: 1,
  tags: tags.map(([name, value]) => ({ name, value })),
});

describe('the text of a stream of events', () => {
  it('gives the same events however it is cut', () => {
    const whole =
      'event: states\ndata: {"a":1}\n\n: a comment\n\nevent: values\ndata: line 1\ndata: line 2\n\ndata: x\n\n';
    const expected = [
      { event: 'states', data: '{"a":1}' },
      { event: 'values', data: 'line 1\nline 2' },
      { event: 'message', data: 'x' },
    ];
    for (let size = 1; size <= whole.length; size++) {
      const parser = new EventParser();
      const found = [];
      for (let at = 0; at < whole.length; at += size) found.push(...parser.add(whole.slice(at, at + size)));
      expect(found, `in pieces of ${size}`).to.deep.equal(expected);
    }
  });

  it('keeps what has not ended', () => {
    const parser = new EventParser();
    expect(parser.add('data: 1')).to.deep.equal([]);
    expect(parser.add('2\n')).to.deep.equal([]);
    expect(parser.add('\ndata: 3')).to.deep.equal([{ event: 'message', data: '12' }]);
  });
});

describe('what the hub knows for tabs that come later', () => {
  it('has the newest value of each tag, and only those that are asked for', () => {
    const cache = new HubCache();
    cache.update(values(true, ['a', 1], ['b', 2]));
    cache.update(values(false, ['b', 3]));
    expect(cache.values({ node: 'plc', group: 'fast' })).to.deep.equal(values(true, ['a', 1], ['b', 3]));
    expect(cache.values({ node: 'plc', group: 'fast', tags: ['b', 'none'] })).to.deep.equal(
      values(true, ['b', 3]),
    );
    cache.update(values(true, ['c', 4]));
    expect(cache.values({ node: 'plc', group: 'fast' })).to.deep.equal(values(true, ['c', 4]));
  });

  it('has the reason where a group has no values', () => {
    const cache = new HubCache();
    const fault: HubMessage = {
      kind: 'group',
      node: 'plc',
      group: 'fast',
      error: 2106,
      message: 'There is none.',
    };
    cache.update(fault);
    expect(cache.values({ node: 'plc', group: 'fast' })).to.equal(fault);
    cache.update(values(false, ['a', 1]));
    expect(cache.values({ node: 'plc', group: 'fast' })).to.deep.equal(values(true, ['a', 1]));
  });

  it('forgets what no tab wants any more', () => {
    const cache = new HubCache();
    cache.update(values(true, ['a', 1], ['b', 2]));
    cache.retain([{ node: 'plc', group: 'fast', tags: ['b'] }]);
    expect(cache.values({ node: 'plc', group: 'fast' })).to.deep.equal(values(true, ['b', 2]));
    cache.retain([]);
    expect(cache.values({ node: 'plc', group: 'fast' })).to.equal(undefined);
  });

  it('distinguishes groups of nodes whose names run into each other', () => {
    expect(groupKey('a', 'bc')).to.not.equal(groupKey('ab', 'c'));
  });

  it('keeps states until their nodes are gone', () => {
    const cache = new HubCache();
    expect(cache.states()).to.equal(undefined);
    const state = (node: string, running: 3 | 4) => ({ node, running, link: 2, rtt: 0 }) as never;
    cache.update({ kind: 'states', full: true, states: [state('a', 3), state('b', 3)], gone: [] });
    cache.update({ kind: 'states', full: false, states: [state('b', 4)], gone: ['a'] });
    expect(cache.states()).to.deep.equal({ kind: 'states', full: true, states: [state('b', 4)], gone: [] });
  });
});
