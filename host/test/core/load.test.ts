import { DataType, RunningState, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { Bench, driverPlugin, tag } from './harness.ts';

describe('loading', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'a', plugin: 'Probe', params: { port: 1 } });
    await bench.gateway.tags.add('a', 'g', [
      tag('full', { precision: 2, decimal: 0.5, bias: 1, description: 'd', type: DataType.FLOAT }),
      tag('bytes', { attribute: Attribute.WRITE | Attribute.STATIC, type: DataType.BYTES, value: [1, 2] }),
      tag('wide', { attribute: Attribute.STATIC, type: DataType.INT64, value: -9223372036854775808n }),
    ]);
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink' });
    await bench.gateway.subscriptions.add('up', [{ driver: 'a', group: 'g', params: { topic: 't' } }]);
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('gives back everything', async () => {
    const before = bench.picture();
    await bench.restart();
    expect(bench.picture()).to.deep.equal(before);
    expect(bench.errors).to.deep.equal([]);
  });

  it('skips and names what cannot be used, and keeps the rest', async () => {
    const before = bench.picture();
    const strange: [key: string, record: unknown][] = [
      ['node/000000000900', { name: 'x' }],
      ['node/000000000901', { name: 'a', plugin: 'probe', pluginName: 'Probe', type: 1, running: 1 }],
      ['node/what', { name: 'x', plugin: 'probe', pluginName: 'Probe', type: 1, running: 1 }],
      ['group/000000000910', { node: 999, name: 'orphan', interval: 100 }],
      ['group/000000000911', 'nonsense'],
      ['tag/000000000910/000000000920', { name: 't', address: '', attribute: Attribute.READ, type: 3 }],
      ['tag/000000000910', null],
      ['tag/000000000911/000000000921', { name: 't', address: '', attribute: Attribute.READ, type: 99 }],
      ['subscription/000000000930', { app: 999, group: 999 }],
      ['subscription/000000000931', []],
      ['something/else', 1],
    ];
    await bench.store.commit({ set: strange });
    await bench.restart();
    expect(bench.picture()).to.deep.equal(before);
    expect(bench.errors.map((text) => /"(.*?)" was skipped/.exec(text)?.[1]).sort()).to.deep.equal(
      strange
        .filter(([key, record]) => record !== null && key !== 'something/else')
        .map(([key]) => key)
        .sort(),
    );
  });

  it('counts what it does not name when very much is wrong', async () => {
    const set = Array.from({ length: 1000 }, (_, i) => [`tag/000000009999/${i + 10_000}`, tag('t')] as const);
    await bench.store.commit({ set });
    await bench.restart();
    expect(bench.errors).to.have.lengthOf(21);
    expect(bench.errors.at(-1)).to.match(/^1000 stored records/);
  });

  it('keeps a node whose settings a new version of its plugin refuses, without running it', async () => {
    const strict = {
      ...driverPlugin,
      settingsSchema: { type: 'object', properties: {}, required: ['unit'] },
    };
    await bench.restart([strict]);
    bench.gateway.start();
    const node = bench.gateway.nodes.get('a');
    expect([node.running, node.params, node.settings]).to.deep.equal([
      RunningState.INIT,
      { port: 1 },
      undefined,
    ]);
    expect(bench.runtime.take()).to.deep.equal([]);
    expect(bench.errors[0]).to.match(
      /The node "a" does not run: the plugin "Probe" refuses the stored settings/,
    );
    await bench.gateway.nodes.setSetting('a', { port: 1, unit: 2 });
    expect(bench.runtime.take()).to.deep.equal(['start a']);
  });
});
