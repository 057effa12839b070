import { Attribute, ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import type { Plugin } from '../../src/core/model.ts';
import { appPlugin, Bench, codeOf, driverPlugin, tag } from './harness.ts';

const reader = { ...driverPlugin, id: 'sums', name: 'Sums', library: 'sums', inputs: true } as const;
const linker = {
  ...appPlugin,
  id: 'linker',
  name: 'Linker',
  library: 'linker',
  inputs: true,
  settingsSchema: {
    type: 'object',
    properties: {
      signals: { type: 'string', 'x-references': 'read' },
      rows: { type: 'string', 'x-references': 'link' },
      note: { type: 'string' },
    },
  },
} as const satisfies Plugin;
const plugins = [driverPlugin, reader, linker];

const row = (from: string, to: string): string => `tag("${from}"), tag("${to}")`;

describe('what settings of apps refer to', () => {
  let bench: Bench;

  const setting = (name: string): unknown => bench.gateway.nodes.setting('link')[name];

  const reads = (): Record<string, string[]> =>
    Object.fromEntries(
      Array.from(bench.gateway.nodes.get('link').inputs ?? [], ([group, tags]) => [
        `${group.node.name}/${group.name}`,
        [...tags],
      ]),
    );

  const refusal = (params: object): Promise<string> =>
    bench.gateway.nodes.setSetting('link', { ...params }).then(
      () => '',
      (error: unknown) => (isFault(error) ? `${error.code} ${error.message}` : String(error)),
    );

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.restart(plugins);
    for (const name of ['boiler', 'mixer']) {
      await bench.gateway.nodes.add({ name, plugin: 'Probe', params: { port: 1 } });
      await bench.gateway.tags.add(
        name,
        'g',
        ['a', 'b', 'c'].map((one) => tag(one)),
      );
    }
    await bench.gateway.tags.add('boiler', 'g', [tag('r', { attribute: Attribute.READ })]);
    await bench.gateway.nodes.add({
      name: 'link',
      plugin: 'Linker',
      params: {
        signals: 'tag("boiler/g/a") and tag("boiler/g/b")',
        rows: row('boiler/g/c', 'mixer/g/a'),
        note: 'tag("boiler/g/a")',
      },
    });
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('is known by group, of rows what is read alone, also after a restart', async () => {
    for (const isAgain of [false, true]) {
      if (isAgain) await bench.restart(plugins);
      expect(reads()).to.deep.equal({ 'boiler/g': ['a', 'b', 'c'] });
      const [group] = bench.gateway.groups.list('boiler');
      expect(Array.from(group?.readers ?? [], ({ name }) => name)).to.deep.equal(['link']);
    }
    expect(bench.errors).to.deep.equal([]);
  });

  it('is refused where it is nothing, and what was there before is not looked at again', async () => {
    const code = ErrorCode.NODE_SETTING_INVALID;
    const cases = [
      [{ signals: 'tag("x/g/a")' }, 'The setting "signals" refers to "x/g/a", but there is no node "x".'],
      [{ signals: 'tag("boiler/g/x")' }, 'the group "g" of "boiler" has no tag "x"'],
      [{ signals: 'tag("boiler")' }, 'The setting "signals" refers to "boiler", which names no tag'],
      [
        { rows: row('boiler/g/a', 'boiler/g/r') },
        'refers to "boiler/g/r", but the tag "r" of "boiler" cannot be written',
      ],
    ] as const;
    for (const [params, message] of cases)
      expect(await refusal(params), JSON.stringify(params))
        .to.match(new RegExp(`^${code} `))
        .and.include(message);
    expect(
      await codeOf(
        bench.gateway.nodes.add({ name: 'other', plugin: 'Linker', params: { signals: 'tag("x/g/a")' } }),
      ),
    ).to.equal(code);
    await bench.gateway.nodes.delete('mixer');
    const { rows } = bench.gateway.nodes.setting('link');
    expect(await refusal({ rows, note: 'changed' })).to.equal('');
  });

  it('is renamed with nodes, groups and tags, the app starts anew, and other settings stay', async () => {
    bench.runtime.take();
    await bench.gateway.tags.rename('boiler', 'g', 'a', 'x/y');
    await bench.gateway.nodes.rename('boiler', 'kettle');
    await bench.gateway.groups.update('mixer', 'g', { newName: 'fast' });
    expect(bench.runtime.take().filter((call) => call.startsWith('reset'))).to.deep.equal([
      ...['reset link', 'reset link', 'reset link'],
    ]);
    for (const isAgain of [false, true]) {
      if (isAgain) await bench.restart(plugins);
      expect(setting('signals')).to.equal('tag("kettle/g/x%2Fy") and tag("kettle/g/b")');
      expect(setting('rows')).to.equal(row('kettle/g/c', 'mixer/fast/a'));
      expect(setting('note')).to.equal('tag("boiler/g/a")');
      expect(bench.gateway.nodes.get('link').settings?.['signals']).to.equal(setting('signals'));
      expect(reads()).to.deep.equal({ 'kettle/g': ['x/y', 'b', 'c'] });
    }
  });

  it('is renamed while the plugin is missing', async () => {
    await bench.restart([driverPlugin, reader]);
    await bench.gateway.nodes.rename('boiler', 'kettle');
    await bench.restart(plugins);
    expect(setting('signals')).to.equal('tag("kettle/g/a") and tag("kettle/g/b")');
  });

  it('is not deleted: tags and groups that are read or written, but a node', async () => {
    const { tags, groups, nodes } = bench.gateway;
    for (const [node, name] of [
      ['boiler', 'a'],
      ['mixer', 'a'],
    ] as const) {
      expect(await codeOf(tags.delete(node, 'g', [name]))).to.equal(ErrorCode.GROUP_SUBSCRIBED);
      expect(await codeOf(groups.delete(node, 'g'))).to.equal(ErrorCode.GROUP_SUBSCRIBED);
    }
    await tags.delete('mixer', 'g', ['b']);
    await nodes.delete('boiler');
    expect(reads()).to.deep.equal({});
  });

  it('is written by one row, of all apps together, under new names, too', async () => {
    const text =
      'The tag "mixer/g/a" would be written by two rows: a tag has one row that writes it, in all apps together.';
    const code = ErrorCode.NODE_SETTING_INVALID;
    expect(await refusal({ rows: [1, 2].map(() => row('boiler/g/c', 'mixer/g/a')).join('\n') })).to.equal(
      `${code} ${text}`,
    );
    const params = { rows: row('boiler/g/b', 'mixer/g/a') };
    expect(await codeOf(bench.gateway.nodes.add({ name: 'other', plugin: 'Linker', params }))).to.equal(code);
    await bench.gateway.nodes.add({
      name: 'other',
      plugin: 'Linker',
      params: { rows: row('boiler/g/b', 'mixer/g/b') },
    });
    await bench.restart(plugins);
    expect(bench.errors).to.deep.equal([]);
  });

  it('is no circle of writes: over rows of several apps and over tags that are calculated', async () => {
    const code = ErrorCode.NODE_SETTING_INVALID;
    expect(await refusal({ rows: row('mixer/g/a', 'mixer/g/a') })).to.equal(
      `${code} The tag "mixer/g/a" would be written from itself: "mixer/g/a" comes from "mixer/g/a".`,
    );
    expect(await refusal({ rows: `${row('mixer/g/a', 'mixer/g/a')} | scale: 2 | circle: meant` })).to.equal(
      '',
    );
    expect(await refusal({ rows: `${row('mixer/g/a', 'mixer/g/a')} | circle: meant not` })).to.include(
      'from itself',
    );
    await bench.gateway.nodes.setSetting('link', { rows: row('boiler/g/c', 'mixer/g/a') });
    await bench.gateway.nodes.add({ name: 'sum', plugin: 'Sums', params: { port: 1 } });
    await bench.gateway.tags.add('sum', 'g', [tag('s', { address: 'tag("mixer/g/a")' })]);
    const back = { name: 'back', plugin: 'Linker', params: { rows: row('sum/g/s', 'boiler/g/c') } };
    const refused = await bench.gateway.nodes.add(back).catch(String);
    expect(refused).to.include(
      '"mixer/g/a" comes from "boiler/g/c" comes from "sum/g/s" comes from "mixer/g/a"',
    );
    // Another tag of a device that is read makes no circle.
    await bench.gateway.nodes.add({ ...back, params: { rows: row('sum/g/s', 'boiler/g/a') } });
    // An import may refer to what is not there, which another import may bring.
    const draft = { ...back, params: { rows: row('later/g/a', 'mixer/g/b') }, isStopped: false, groups: [] };
    expect(await bench.gateway.transfer.problems([draft], [])).to.deep.equal([]);
    const closing = { ...draft, params: { rows: `${row('x/g/a', 'x/g/b')}\n${row('x/g/b', 'x/g/a')}` } };
    expect((await bench.gateway.transfer.problems([closing], [])).map((fault) => fault.code)).to.deep.equal([
      code,
    ]);
  });

  it('is searched for circles in a time that grows with the rows', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `t${index}`);
    await bench.gateway.tags.add(
      'mixer',
      'g',
      names.map((name) => tag(name)),
    );
    const chain = names.slice(1).map((name, index) => row(`mixer/g/${names[index]!}`, `mixer/g/${name}`));
    const from = performance.now();
    expect(await refusal({ rows: chain.join('\n') })).to.equal('');
    const closed = [...chain, row(`mixer/g/${names.at(-1)!}`, 'mixer/g/t0')].join('\n');
    expect(await refusal({ rows: closed })).to.include('would be written from itself');
    expect(performance.now() - from, 'milliseconds').to.be.lessThan(5000);
  });
});
