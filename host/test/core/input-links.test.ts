import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { StoreChanges } from '../../src/core/ports/ports.ts';
import { Gateway } from '../../src/core/gateway.ts';
import { Bench, codeOf, driverPlugin, portsIn, tag } from './harness.ts';

const reader = {
  ...driverPlugin,
  id: 'sums',
  name: 'Sums',
  library: 'sums',
  inputs: true,
  longestAddress: 60,
} as const;
const plugins = [driverPlugin, reader];

const sum = (...references: string[]): string => references.map((one) => `tag("${one}")`).join('+');

describe('what tags refer to', () => {
  let bench: Bench;

  /** The groups that a node reads, with the names of their tags. */
  const reads = ({ nodes }: Gateway, name: string): Record<string, string[]> =>
    Object.fromEntries(
      Array.from(nodes.get(name).inputs ?? [], ([group, tags]) => [
        `${group.node.name}/${group.name}`,
        [...tags],
      ]),
    );

  const addressOf = ({ tags }: Gateway, node: string, name: string): string | undefined =>
    tags.list(node, 'g').find((one) => one.name === name)?.address;

  async function addNode(
    name: string,
    plugin: string,
    tags: Readonly<Record<string, string>>,
  ): Promise<void> {
    await bench.gateway.nodes.add({ name, plugin, params: { port: 1 } });
    const bodies = Object.entries(tags).map(([key, address]) => tag(key, { address }));
    expect((await bench.gateway.tags.add(name, 'g', bodies)).message).to.equal(undefined);
  }

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.restart(plugins);
    await addNode('boiler', 'Probe', { a: '1', b: '2', c: '3' });
    await addNode('one', 'Sums', { x: sum('boiler/g/a', 'boiler/g/b'), y: '5' });
    await addNode('two', 'Sums', { x: sum('one/g/x'), y: sum('boiler/g/a') });
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('is known of each node by group, also after a restart', async () => {
    for (const isAgain of [false, true]) {
      if (isAgain) await bench.restart(plugins);
      expect(reads(bench.gateway, 'one')).to.deep.equal({ 'boiler/g': ['a', 'b'] });
      expect(reads(bench.gateway, 'two')).to.deep.equal({ 'one/g': ['x'], 'boiler/g': ['a'] });
      const [group] = bench.gateway.groups.list('boiler');
      expect(Array.from(group?.readers ?? [], ({ name }) => name)).to.deep.equal(['one', 'two']);
      expect(bench.errors).to.deep.equal([]);
    }
  });

  it('has the runtime route those nodes of a plugin again of which one reads something else, and no others', async () => {
    bench.runtime.take();
    await bench.gateway.tags.add('boiler', 'g', [tag('d')]);
    expect(bench.runtime.take().filter((call) => call.startsWith('routed'))).to.deep.equal([]);
    await bench.gateway.tags.add('two', 'g', [tag('z', { address: sum('boiler/g/d') })]);
    expect(bench.runtime.take().filter((call) => call.includes('routed')).length).to.equal(2);
    expect(reads(bench.gateway, 'two')['boiler/g']).to.deep.equal(['a', 'd']);
  });

  it('is refused in a batch from the first tag on that refers to nothing, with the tags before it kept', async () => {
    const bodies = [
      tag('p', { address: sum('boiler/g/c') }),
      tag('q', { address: sum('boiler/g/none') }),
      tag('r', { address: sum('boiler/g/c') }),
    ];
    const { index, error } = await bench.gateway.tags.add('two', 'g', bodies);
    expect({ index, error }).to.deep.equal({ index: 1, error: ErrorCode.TAG_ADDRESS_INVALID });
    expect(addressOf(bench.gateway, 'two', 'p')).to.equal(sum('boiler/g/c'));
  });

  it('closes no circle within one batch either', async () => {
    await bench.gateway.nodes.add({ name: 'three', plugin: 'Sums', params: { port: 1 } });
    await bench.gateway.tags.add('three', 'g', [tag('x', { address: '1' })]);
    await bench.gateway.tags.add('one', 'g', [tag('z', { address: sum('three/g/x') })]);
    const { message } = await bench.gateway.tags.add('three', 'g', [tag('y', { address: sum('two/g/y') })]);
    expect(String(message)).to.include('"three" reads "two" reads "one" reads "three"');
  });

  it('has the names of everything that is renamed, all of a change at once', async () => {
    const { gateway } = bench;
    const rows = [
      { body: tag('a', { address: '1' }), newName: 'b', group: undefined, interval: undefined },
      { body: tag('b', { address: '2' }), newName: 'a', group: undefined, interval: undefined },
    ];
    const { problems } = await gateway.tags.apply({
      node: 'boiler',
      group: 'g',
      rows,
      problems: [],
      remove: [],
      mode: 'merge',
    });
    expect(problems).to.deep.equal([]);
    expect(addressOf(gateway, 'one', 'x')).to.equal(sum('boiler/g/b', 'boiler/g/a'));
    expect(addressOf(gateway, 'two', 'y')).to.equal(sum('boiler/g/b'));
    await gateway.nodes.rename('boiler', 'k');
    await gateway.groups.update('one', 'g', { newName: 'h' });
    await bench.restart(plugins);
    expect(addressOf(bench.gateway, 'two', 'x')).to.equal(sum('one/h/x'));
    expect(reads(bench.gateway, 'two')).to.deep.equal({ 'one/h': ['x'], 'k/g': ['b'] });
  });

  it('refuses a name for which an address has no room, and changes nothing', async () => {
    const before = bench.picture();
    const code = await codeOf(bench.gateway.nodes.rename('boiler', 'a name that is too long'));
    expect(code).to.equal(ErrorCode.TAG_ADDRESS_TOO_LONG);
    expect(bench.picture()).to.deep.equal(before);
    await bench.restart(plugins);
    expect(bench.picture()).to.deep.equal(before);
  });

  it('is renamed in templates and in nodes whose plugin is missing, too', async () => {
    const tags = [tag('x', { address: sum('boiler/g/a') })];
    await bench.gateway.templates.add({
      name: 't',
      plugin: 'Sums',
      groups: [{ name: 'g', interval: 1000, tags }],
    });
    await bench.restart([driverPlugin]);
    await bench.gateway.tags.rename('boiler', 'g', 'a', 'n');
    await bench.restart(plugins);
    expect(addressOf(bench.gateway, 'one', 'x')).to.equal(sum('boiler/g/n', 'boiler/g/b'));
    await bench.gateway.tags.rename('boiler', 'g', 'n', 'm');
    await bench.gateway.templates.instantiate([{ template: 't', node: 'made' }]);
    expect(addressOf(bench.gateway, 'made', 'x')).to.equal(sum('boiler/g/m'));
  });

  it('is nothing, with a line in the log, where another version of a plugin has brought about a circle', async () => {
    await bench.restart([driverPlugin, { ...reader, inputs: undefined as never }]);
    await bench.gateway.tags.update('one', 'g', [tag('y', { address: sum('two/g/y') })]);
    await bench.restart(plugins);
    expect(reads(bench.gateway, 'one')).to.deep.equal({});
    expect(bench.errors.filter((line) => line.includes('would read itself'))).to.have.length(2);
  });

  it('is the same at a gateway that follows', async () => {
    const changes: StoreChanges[] = [];
    const { store } = bench;
    const commit = store.commit.bind(store);
    store.commit = async ({ set = [], delete: deleted = [] }) => {
      const change = { set: [...set], delete: [...deleted] };
      changes.push(structuredClone(change));
      await commit(change);
    };
    const empty = { load: () => Promise.resolve([]), commit: () => Promise.resolve() };
    const standby = new Gateway(portsIn(bench.folder, empty, plugins));
    const follower = await standby.follow();
    await follower.apply({ set: await store.load() });
    await bench.gateway.nodes.rename('boiler', 'kiln');
    await bench.runtime.events.store(bench.gateway.nodes.get('one'), [
      ['a', '1'],
      ['b/ü', '2'],
    ]);
    await bench.runtime.events.store(bench.gateway.nodes.get('one'), [['a', null]]);
    for (const change of changes) await follower.apply(change);
    expect(reads(standby, 'one')).to.deep.equal({ 'kiln/g': ['a', 'b'] });
    expect([...(standby.nodes.get('one').texts?.byKey ?? [])]).to.deep.equal([['b/ü', '2']]);
  });
});

describe('texts of a node', () => {
  let bench: Bench;
  const store = (...entries: (readonly [string, string | null])[]): Promise<void> =>
    bench.runtime.events.store(bench.gateway.nodes.get('n'), entries);
  const stored = (): [string, string][] => [...bench.runtime.events.stored(bench.gateway.nodes.get('n'))];

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe', params: { port: 1 } });
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('are there after a restart, and gone with the node', async () => {
    await store(['12', 'a'], ['x/y', 'b'], ['z', 'c']);
    await store(['z', null], ['12', 'd']);
    await bench.restart();
    expect(stored()).to.have.deep.members([
      ['12', 'd'],
      ['x/y', 'b'],
    ]);
    await bench.gateway.nodes.delete('n');
    expect((await bench.store.load()).filter(([key]) => key.startsWith('text/'))).to.deep.equal([]);
  });

  it('are refused beyond their limits, all of a call, and what is there stays', async () => {
    await store(['a', '1']);
    const large = 'x'.repeat(65_536);
    const refused: (readonly (readonly [string, string | null])[])[] = [
      [['', '1']],
      [['ü'.repeat(128), '1']],
      [['b', `${large}x`]],
      Array.from({ length: 17 }, (_, index) => [`k${index}`, large] as const),
    ];
    for (const entries of refused)
      expect(await codeOf(store(['a', '2'], ...entries))).to.equal(ErrorCode.PARAM_INVALID);
    expect(stored()).to.deep.equal([['a', '1']]);
    const fill = (call: number): Promise<void> =>
      store(...Array.from({ length: 15 }, (_, index) => [`${call} ${index}`, large] as const));
    for (let call = 0; call < 8; call++) await fill(call);
    expect(await codeOf(fill(8))).to.equal(ErrorCode.PARAM_INVALID);
    await bench.restart();
    expect(await codeOf(fill(8))).to.equal(ErrorCode.PARAM_INVALID);
  }).timeout(20_000);
});
