import { DataType, ErrorCode, NodeType, PluginKind, RunningState, Attribute } from '@tagway/schemas';
import { type Sample, writerOf } from '@tagway/sdk';
import { SampleBuilder } from '@tagway/sdk/internal';
import { expect } from 'chai';
import type { Group, GroupReading, Node, Plugin, Tag } from '../../src/core/model.ts';
import { GroupCache } from '../../src/runtime/group-cache.ts';

const plugin: Plugin = {
  ...{
    id: 'p',
    name: 'P',
    nodeType: NodeType.DRIVER,
    kind: PluginKind.SYSTEM,
    version: '1.0.0',
    library: 'p',
  },
  ...{ description: '', descriptionZh: '', main: '', settingsSchema: {}, groupInterval: 1000 },
  ...{ addresses: [], writesMany: false },
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
    ...{ id: 1, name: 'n', plugin, running: RunningState.RUNNING, settings: {}, params: {} },
    ...{ groups: new Map<string, Group>(), subscriptions: new Map() },
  };
  const byName = new Map(tags.map((one) => [one.name, one]));
  return { id: 1, node, name: 'g', interval: 100, tags: byName, subscriptions: new Map() };
}

function change(cache: GroupCache, ...tags: Tag[]): void {
  cache.group.tags.clear();
  for (const one of tags) cache.group.tags.set(one.name, one);
  cache.invalidate();
}

/** A sample of what the runner was last told to poll. */
function sampleOf(cache: GroupCache, ...outcomes: Parameters<SampleBuilder['build']>[0]): Sample {
  return new SampleBuilder(cache.config()).build(outcomes, Date.now());
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
    const sample = sampleOf(cache, 5);
    expect(cache.take(sample)).to.equal(cache.layout);
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
    expect(cache.take(before)?.columns.map(({ name }) => name)).to.deep.equal(['a']);
    expect(cache.take(after)?.columns.map(({ name }) => name)).to.deep.equal(['b', 'c']);
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
});
