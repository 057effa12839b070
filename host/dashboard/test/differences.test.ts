import { RunningState, type ConfigBody } from '@tagway/schemas';
import { expect } from 'chai';
import { differencesOf as differencesOfFields, isSame, merged } from '../src/parts/three-way.ts';
import { configFrom, differencesOf } from '../src/transfer/differences.ts';

describe('a form that two people save', () => {
  const base = { a: 1, b: 1, c: 1 };

  it('keeps what each of them has changed', () => {
    expect(merged(base, { a: 2, b: 1, c: 1 }, { a: 1, b: 3, c: 1 })).to.deep.equal({ a: 2, b: 3, c: 1 });
    expect(merged(base, { a: 2, b: 1, c: 1 }, { a: 4, b: 1, c: 1 })).to.deep.equal({ a: 4, b: 1, c: 1 });
    expect(merged(base, { a: 1, b: 1 }, base)).to.deep.equal({ a: 1, b: 1 });
  });

  it('shows where they differ, and who has touched the field', () => {
    expect(differencesOfFields(base, { ...base, a: 2 }, { ...base, b: 3 })).to.deep.equal([
      { field: 'a', theirs: 2, mine: 1, isMine: false },
      { field: 'b', theirs: 1, mine: 3, isMine: true },
    ]);
    expect(differencesOfFields(base, base, { ...base, filled: 'default' })).to.deep.equal([]);
  });

  it('does not mind the order of members, or members that are undefined', () => {
    expect(isSame({ a: { b: 1, c: [1, 2] } }, { a: { c: [1, 2], b: 1, d: undefined } })).to.equal(true);
    expect(isSame([1], { 0: 1 })).to.equal(false);
    expect(isSame([1, 2], [2, 1])).to.equal(false);
  });
});

describe('the differences of an import', () => {
  const config = (bias: number, topic: string): ConfigBody => ({
    nodes: [{ name: 'plc', plugin: 'Modbus TCP', running: RunningState.RUNNING }],
    settings: [],
    groups: [{ driver: 'plc', group: 'fast', interval: 100 }],
    tags: [
      { driver: 'plc', group: 'fast', tags: [{ name: 'a', address: '1!1', attribute: 1, type: 3, bias }] },
    ],
    subscriptions: [{ app: 'mqtt', driver: 'plc', group: 'fast', params: { topic } }],
  });

  it('show the values before and after where both are known', () => {
    const [tag, subscription, node] = differencesOf(
      [
        { kind: 'tags', change: 'change', path: ['plc', 'fast', 'a'], fields: ['bias', 'description'] },
        { kind: 'subscriptions', change: 'change', path: ['mqtt', 'plc', 'fast'], fields: ['params.topic'] },
        { kind: 'nodes', change: 'remove', path: ['old'] },
      ] as never,
      config(0, 'x'),
      config(2, 'y'),
    );
    expect(tag).to.include({ name: 'plc · fast · a', fields: 'bias: 0 → 2, description: – → –' });
    expect(subscription).to.include({ fields: 'params.topic: x → y' });
    expect(node).to.include({ name: 'old', change: 'remove', fields: '' });
  });

  it('have when apps get reports of a group', () => {
    const before = config(0, 'x');
    const after = {
      ...before,
      groups: [{ ...before.groups[0]!, report: 'change' as const, min_interval: 500 }],
    };
    const difference = {
      kind: 'groups',
      change: 'update',
      path: ['plc', 'fast'],
      fields: ['report', 'min_interval'],
    };
    const [group] = differencesOf([difference] as never, before, after);
    expect(group).to.include({ fields: 'report: – → change, min_interval: – → 500' });
  });

  it('are only looked for in what is a configuration', () => {
    expect(configFrom(config(0, 'x'))).to.be.an('object');
    for (const other of [undefined, null, [], {}, { nodes: [] }, 'text'])
      expect(configFrom(other)).to.equal(undefined);
  });
});
