import { setTimeout as delay } from 'node:timers/promises';
import { DataType, ErrorCode, Limits, NodeType, PluginKind, RunningState, Attribute } from '@tagway/schemas';
import { Fault, Quality } from '@tagway/sdk';
import { SampleBuilder, type SampleData } from '@tagway/sdk/internal';
import { writerOf } from '@tagway/sdk/json';
import { expect } from 'chai';
import type { Group, GroupReading, Node, Plugin, Tag } from '../../src/core/model.ts';
import { GroupCache } from '../../src/runtime/samples/group-cache.ts';

const plugin: Plugin = {
  id: 'p',
  name: 'P',
  nodeType: NodeType.DRIVER,
  kind: PluginKind.SYSTEM,
  version: '1.0.0',
  library: 'p',
  description: '',
  descriptionZh: '',
  main: '',
  settingsSchema: {},
  groupInterval: 1000,
  addresses: [],
  writesMany: false,
};

let lastId = 0;

function tag(name: string, more: Partial<Tag> = {}): Tag {
  const plain = {
    address: '',
    attribute: Attribute.READ,
    type: DataType.INT16,
    precision: 0,
    decimal: 0,
    bias: 0,
  };
  return { id: ++lastId, name, ...plain, description: '', ...more };
}

function groupOf(...tags: Tag[]): Group {
  const node: Node = {
    id: 1,
    name: 'n',
    plugin,
    running: RunningState.RUNNING,
    settings: {},
    params: {},
    groups: new Map<string, Group>(),
    subscriptions: new Map(),
  };
  const byName = new Map(tags.map((one) => [one.name, one]));
  return { id: 1, node, name: 'g', interval: 100, history: 0, tags: byName, subscriptions: new Map() };
}

function change(cache: GroupCache, ...tags: Tag[]): void {
  cache.group.tags.clear();
  for (const one of tags) cache.group.tags.set(one.name, one);
  cache.invalidate();
}

/** A sample of what the runner was last told to poll; what is left out has no value. */
function sampleOf(cache: GroupCache, ...given: (number | bigint | string)[]): SampleData {
  const builder = new SampleBuilder(cache.config());
  const draft = builder.draft();
  given.forEach((one, index) => draft.values.set(draft.columnOf[index] as number, one));
  return builder.finish(draft.values, Date.now());
}

/** Events of numbers: the column and what it became. */
function eventsOf({ group, version }: SampleData, ...changes: [column: number, value: number][]): SampleData {
  return {
    group,
    version,
    timestamp: Date.now(),
    faults: new Int32Array(0),
    objects: [],
    rows: Uint32Array.from(changes, ([column]) => column),
    integers: new BigInt64Array(0),
    numbers: Float64Array.from(changes, ([, value]) => value),
  };
}

function shown({ layout, sample }: GroupReading): unknown {
  return JSON.parse(writerOf(layout).records(sample).toString());
}

describe('group cache', () => {
  it('says why there is no value: not running, disconnected, not ready', () => {
    const cache = new GroupCache(groupOf(tag('a'), tag('s', { attribute: Attribute.STATIC, value: 7 })));
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', error: ErrorCode.NOT_READY },
      { name: 's', value: 7 },
    ]);
    expect(shown(cache.reading(false))).to.deep.equal([
      { name: 'a', error: ErrorCode.DISCONNECTED },
      { name: 's', value: 7 },
    ]);
    cache.group.node.running = RunningState.STOPPED;
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', error: ErrorCode.NOT_RUNNING },
      { name: 's', error: ErrorCode.NOT_RUNNING },
    ]);
  });

  it('answers with the latest sample itself while nothing changed', () => {
    const cache = new GroupCache(groupOf(tag('a')));
    const sample = cache.take(sampleOf(cache, 5));
    expect(sample?.layout).to.equal(cache.layout);
    expect(cache.reading(true).sample).to.equal(sample);
  });

  it('leaves out tags that may only be written', () => {
    const cache = new GroupCache(groupOf(tag('a'), tag('w', { attribute: Attribute.WRITE })));
    expect(cache.config().tags.map(({ name }) => name)).to.deep.equal(['a']);
  });

  it('keeps the values of tags that did not change when others do', () => {
    const kept = tag('kept', { type: DataType.INT64 });
    const text = tag('text', { type: DataType.STRING });
    const failing = tag('failing');
    const cache = new GroupCache(groupOf(tag('gone'), kept, text, failing, tag('changed')));
    cache.take(sampleOf(cache, 1, 2n ** 62n, 'x'));
    change(cache, text, tag('new'), kept, tag('changed'), failing);
    expect(writerOf(cache.layout).records(cache.reading(true).sample).toString()).to.equal(
      '[{"name":"text","value":"x"},{"name":"new","error":3011},{"name":"kept","value":4611686018427387904},' +
        '{"name":"changed","error":3011},{"name":"failing","error":3000}]',
    );
  });

  it('keeps the value of a tag of which only the name, the description or the precision changed', () => {
    const renamed = tag('old');
    const moved = tag('moved');
    const rescaled = tag('rescaled');
    const cache = new GroupCache(groupOf(renamed, moved, rescaled));
    cache.take(sampleOf(cache, 1, 2, 3));
    change(
      cache,
      { ...renamed, name: 'new', description: 'text' },
      { ...moved, address: '2' },
      { ...rescaled, decimal: 2 },
    );
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'new', value: 1 },
      { name: 'moved', error: ErrorCode.NOT_READY },
      { name: 'rescaled', error: ErrorCode.NOT_READY },
    ]);
  });

  it('understands samples of the version before, until one of the new version has come', () => {
    const cache = new GroupCache(groupOf(tag('a')));
    const before = sampleOf(cache, 1);
    change(cache, tag('b'), tag('c'));
    const after = sampleOf(cache, 2, 3);
    expect(cache.take(before)?.layout.columns.map(({ name }) => name)).to.deep.equal(['a']);
    expect(cache.take(after)?.layout.columns.map(({ name }) => name)).to.deep.equal(['b', 'c']);
    expect(cache.take(before)).to.equal(undefined);
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'b', value: 2 },
      { name: 'c', value: 3 },
    ]);
  });

  it('does not understand a version that the runner was never told of', () => {
    const cache = new GroupCache(groupOf(tag('a')));
    const sample = sampleOf(cache, 1);
    expect(cache.take({ ...sample, version: sample.version + 1000 })).to.equal(undefined);
    expect(cache.latest()).to.equal(undefined);
  });

  it('forgets its values when it is cleared', () => {
    const cache = new GroupCache(groupOf(tag('a')));
    cache.take(sampleOf(cache, 1));
    cache.clear();
    expect(shown(cache.reading(true))).to.deep.equal([{ name: 'a', error: ErrorCode.NOT_READY }]);
  });

  it('tells who can be written and not read, in the layout', () => {
    const cache = new GroupCache(
      groupOf(tag('a'), tag('w', { attribute: Attribute.WRITE, description: 'text' })),
    );
    const { columns, writeOnly, driver, group, interval } = cache.layout;
    expect([columns.length, writeOnly.map(({ name, description }) => [name, description])]).to.deep.equal([
      1,
      [['w', 'text']],
    ]);
    expect([driver, group, interval]).to.deep.equal(['n', 'g', 100]);
  });

  it('takes in events when somebody looks, and shows the state that they leave', () => {
    const cache = new GroupCache(groupOf(tag('a'), tag('b')));
    const whole = sampleOf(cache, 1, 2);
    cache.take(whole);
    cache.take(eventsOf(whole, [0, 5], [0, 6]));
    cache.take(eventsOf(whole, [1, 7]));
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', value: 6 },
      { name: 'b', value: 7 },
    ]);
    const latest = cache.latest();
    expect([latest?.rows, latest?.due]).to.deep.equal([undefined, undefined]);
    cache.take(whole);
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ]);
  });

  it('takes in many events that nobody looks at', () => {
    const cache = new GroupCache(groupOf(tag('a'), tag('b')));
    const whole = sampleOf(cache, 1, 2);
    cache.take(whole);
    for (let value = 0; value < 5000; value++) cache.take(eventsOf(whole, [0, value]));
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', value: 4999 },
      { name: 'b', value: 2 },
    ]);
  });

  it('passes on events of another version than the latest sample, and takes nothing of them', () => {
    const cache = new GroupCache(groupOf(tag('a')));
    const old = sampleOf(cache, 1);
    cache.take(old);
    change(cache, tag('b'));
    const fresh = sampleOf(cache, 2);
    expect(cache.take(eventsOf(fresh, [0, 9]))?.layout).to.equal(cache.layout);
    expect(shown(cache.reading(true))).to.deep.equal([{ name: 'b', error: ErrorCode.NOT_READY }]);
  });

  it('takes in what was written also before the group was read, or was read as it is now', () => {
    const one = tag('one');
    const two = tag('two');
    const cache = new GroupCache(groupOf(one, two));
    const written = (column: number, value: number): SampleData => ({
      ...eventsOf({ ...sampleOf(cache), timestamp: 0 }, [column, value]),
      forCache: true,
    });
    cache.take(written(1, 20));
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'one', error: ErrorCode.NOT_READY },
      { name: 'two', value: 20 },
    ]);
    cache.take(sampleOf(cache, 1, 2));
    change(cache, two, tag('three'), one);
    cache.take(written(1, 30));
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'two', value: 2 },
      { name: 'three', value: 30 },
      { name: 'one', value: 1 },
    ]);
  });

  describe('knows since when a value or an error is the same', () => {
    const at = (time: number, data: SampleData): SampleData => ({ ...data, timestamp: time });
    const since = (cache: GroupCache): number[] => [...(cache.reading(true).since ?? [])];

    it('at least since the first sample, exactly since a change; an error counts as a value does', () => {
      const cache = new GroupCache(groupOf(tag('a'), tag('b'), tag('c')));
      expect(cache.reading(true).since, 'nothing was read yet').to.equal(undefined);
      cache.take(at(100, sampleOf(cache, 1, 2, 3)));
      expect(since(cache)).to.deep.equal([-100, -100, -100]);
      const before = cache.reading(true).since;
      cache.take(at(200, sampleOf(cache, 1, 2, 3)));
      expect(cache.reading(true).since, 'nothing is copied').to.equal(before);
      cache.take(at(300, sampleOf(cache, 1, 5)));
      expect(since(cache)).to.deep.equal([-100, 300, 300]);
      cache.take(at(400, sampleOf(cache, 1, 5)));
      expect(since(cache), 'the error is the same').to.deep.equal([-100, 300, 300]);
      cache.take(at(500, sampleOf(cache, 1, 5, 3)));
      expect(since(cache)).to.deep.equal([-100, 300, 500]);
      expect([...(before ?? [])], 'what was given out stays').to.deep.equal([-100, -100, -100]);
      const { layout, sample, since: times = [] } = cache.reading(true);
      expect(String(writerOf(layout).records(sample, { since: times, columns: [0, 2] }))).to.equal(
        '[{"name":"a","value":1,"since":100,"at_least":true},{"name":"c","value":3,"since":500}]',
      );
    });

    it('over a change of the group, of new and changed tags at least since their first sample', () => {
      const kept = tag('kept');
      const other = tag('other');
      const cache = new GroupCache(groupOf(kept, other));
      cache.take(at(100, sampleOf(cache, 1, 2)));
      cache.take(at(200, sampleOf(cache, 7, 2)));
      change(cache, tag('new'), { ...other, address: 'elsewhere' }, { ...kept, name: 'renamed' });
      expect(since(cache), 'of what is not ready nothing is known').to.deep.equal([0, 0, 200]);
      cache.take(at(300, sampleOf(cache, 4, 2, 7)));
      expect(since(cache)).to.deep.equal([-300, -300, 200]);
    });

    it('by events, also when a value has come back before anybody looked', () => {
      const cache = new GroupCache(groupOf(tag('a'), tag('b'), tag('c')));
      const whole = at(100, sampleOf(cache, 1, 2, 3));
      cache.take(whole);
      cache.take(at(200, eventsOf(whole, [0, 5], [0, 1], [1, 2])));
      expect(since(cache)).to.deep.equal([200, -100, -100]);
      cache.take(at(300, eventsOf(whole, [2, 9])));
      cache.take(at(400, whole));
      expect(since(cache), 'the whole sample is compared with the events before it').to.deep.equal([
        200, -100, 400,
      ]);
    });

    it('of values that have expired since then, and nothing of a node that was cleared', async () => {
      const cache = new GroupCache({ ...groupOf(tag('a')), interval: 10 });
      const before = Date.now();
      cache.take(sampleOf(cache, 1));
      await delay(Limits.expiryIntervals * 10 + 5);
      const [expired = 0] = since(cache);
      expect(expired).to.be.within(before + Limits.expiryIntervals * 10, Date.now());
      expect(since(cache), 'it does not move').to.deep.equal([expired]);
      cache.clear();
      expect(cache.reading(true).since).to.equal(undefined);
      cache.take(at(900, sampleOf(cache, 1)));
      expect(since(cache)).to.deep.equal([-900]);
    });
  });

  it('does not take values for fresh because another one was written', async () => {
    const cache = new GroupCache({ ...groupOf(tag('a'), tag('b')), interval: 10 });
    const old = sampleOf(cache, 1, 2);
    cache.take(old);
    await delay(Limits.expiryIntervals * 10 + 5);
    cache.take({ ...eventsOf(old, [1, 20]), forCache: true });
    expect(shown(cache.reading(true))).to.deep.equal([
      { name: 'a', error: ErrorCode.VALUE_EXPIRED },
      { name: 'b', value: 20 },
    ]);
    await delay(Limits.expiryIntervals * 10 + 5);
    expect([...cache.reading(true).sample.faults]).to.deep.equal([
      ...[0, ErrorCode.VALUE_EXPIRED],
      ...[1, ErrorCode.VALUE_EXPIRED],
    ]);
  });

  it('gives a new subscriber everything, also what was not due', () => {
    const cache = new GroupCache(groupOf(tag('a', { attribute: Attribute.SUBSCRIBE })));
    const sample = sampleOf(cache, 1);
    cache.take({ ...sample, due: Uint8Array.of(0) });
    expect(cache.latest()?.due).to.equal(undefined);
    expect([...(cache.latest()?.numbers ?? [])]).to.deep.equal([1]);
  });

  it('keeps source times and qualities with the values that it keeps', () => {
    const a = tag('a');
    const b = tag('b');
    const cache = new GroupCache(groupOf(a, b));
    const builder = new SampleBuilder(cache.config());
    const draft = builder.draft();
    draft.number(0, 1);
    draft.stamp(0, 1000, Quality.STALE);
    draft.fault(1, new Fault(ErrorCode.NO_RESPONSE, 'It is silent.'));
    draft.stamp(1, 2000, Quality.UNCERTAIN);
    cache.take(builder.finish(draft.values, 5));
    change(cache, tag('new'), b, a);
    const { timestamps, qualities, reasons, timestamp } = cache.reading(true).sample;
    expect([...(timestamps ?? [])]).to.deep.equal([NaN, 2000, 1000]);
    expect([...(qualities ?? [])]).to.deep.equal([0, Quality.UNCERTAIN, Quality.STALE]);
    expect(reasons?.texts).to.include('It is silent.');
    expect(timestamp).to.equal(5);
  });

  it('does not know every version that a driver never sent a sample of', () => {
    const tags = Array.from({ length: 1000 }, (_, index) => tag(`t${index}`));
    const cache = new GroupCache(groupOf(...tags));
    const all = Array.from({ length: 1000 }, () => {
      cache.invalidate();
      return sampleOf(cache);
    });
    const taken = all.filter((sample) => cache.take(sample) !== undefined).length;
    expect(taken, 'of versions with a thousand tags, from the oldest on').to.be.within(100, 200);
  });

  it('knows why tags failed last, and since when without a break', () => {
    const cache = new GroupCache(groupOf(tag('a'), tag('b')));
    const fault = new Fault(ErrorCode.READ_FAILED, 'The device refused the read.');
    const at = (timestamp: number, ...faults: Fault[]): void => {
      const builder = new SampleBuilder(cache.config());
      const draft = builder.draft();
      for (const column of [0, 1]) draft.values.set(column, faults[column] ?? 1);
      cache.take(builder.finish(draft.values, timestamp));
    };
    at(1000);
    expect(cache.lastError).to.equal(undefined);
    at(2000, fault);
    at(3000, fault);
    const { code, message: text } = fault;
    expect(cache.lastError).to.deep.equal({ code, text, time: 3000, since: 2000 });
    at(4000);
    expect(cache.lastError).to.include({ time: 3000, since: 2000 });
    at(5000, fault);
    expect(cache.lastError).to.include({ time: 5000, since: 5000 });
    at(6000, new Fault(ErrorCode.NO_RESPONSE, 'No answer.'));
    expect(cache.lastError).to.include({ text: 'No answer.', since: 6000 });
  });
});
