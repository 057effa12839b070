import { DataType, ErrorCode, RunningState, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import type { Template } from '../../src/core/model.ts';
import { appPlugin, Bench, codeOf, expectRefused, slowPlugin, tag } from './harness.ts';

describe('templates', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const constant = {
    ...tag('constant'),
    attribute: Attribute.WRITE | Attribute.STATIC,
    address: '',
    value: 2n ** 60n,
    type: DataType.INT64,
  };
  const pace = { report: 'change', min_interval: 500 } as const;
  const add = (name: string, plugin = 'Probe', tags = [tag('b'), tag('a'), constant]): Promise<void> =>
    bench.gateway.templates.add({
      name,
      plugin,
      groups: [
        { name: 'fast', interval: 100, pace, tags },
        { name: 'empty', interval: 2000, tags: [] },
      ],
    });
  const instantiate = (...pairs: [template: string, node: string][]): Promise<number> =>
    codeOf(bench.gateway.templates.instantiate(pairs.map(([template, node]) => ({ template, node }))));
  const pictureOf = (template: Template): unknown => ({
    name: template.name,
    plugin: template.plugin,
    groups: Array.from(template.groups.values(), ({ name, interval, pace: kept, tags }) => ({
      name,
      interval,
      pace: kept,
      tags: [...tags.values()],
    })),
  });
  const picture = (): unknown => bench.gateway.templates.list().map(pictureOf);

  it('are kept as they were over a restart, in the order of creation', async () => {
    await add('one');
    await add('__proto__');
    await bench.gateway.templateGroups.add('one', 'third', 300);
    await bench.gateway.templateTags.add('one', 'third', [tag('x'), tag('y')]);
    await bench.gateway.templateTags.update('one', 'third', [tag('x', { precision: 3, decimal: 0.5 })]);
    await bench.gateway.templateTags.delete('one', 'third', ['y', 'absent']);
    await bench.gateway.templateGroups.update('one', 'fast', { newName: 'first', interval: 150 });
    await bench.gateway.templateGroups.delete('one', 'empty');
    const before = picture();
    await bench.restart();
    expect(picture()).to.deep.equal(before);
    const [one] = bench.gateway.templates.list();
    expect(one?.groups.get('first')?.pace).to.deep.equal(pace);
    expect([...(one?.groups.keys() ?? [])]).to.deep.equal(['first', 'third']);
    expect([...(one?.groups.get('first')?.tags.keys() ?? [])]).to.deep.equal(['b', 'a', 'constant']);
    expect(one?.groups.get('first')?.tags.get('constant')?.value).to.equal(2n ** 60n);
  });

  it('are added whole or not at all', async () => {
    bench.runtime.checkTag = ({ address }) => (address === 'bad' ? ErrorCode.TAG_ADDRESS_INVALID : 0);
    const stored = await bench.store.load();
    const bad = [tag('good'), tag('bad', { address: 'bad' })];
    expect(await codeOf(add('one', 'Probe', bad))).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    expect(await codeOf(add('one', 'Probe', [tag('twin'), tag('twin')]))).to.equal(
      ErrorCode.TAG_NAME_CONFLICT,
    );
    expect(await codeOf(add('one', 'Uplink'))).to.equal(ErrorCode.TEMPLATES_UNSUPPORTED);
    expect(await codeOf(add('one', 'Nothing'))).to.equal(ErrorCode.PLUGIN_NOT_FOUND);
    expect(picture()).to.deep.equal([]);
    expect(await bench.store.load()).to.deep.equal(stored);
  });

  it('are added once when two add the same at once', async () => {
    const codes = await Promise.all([codeOf(add('twin')), codeOf(add('twin'))]);
    expect(codes).to.deep.equal([0, ErrorCode.TEMPLATE_EXISTS]);
  });

  it('do not ask the plugin about static tags', async () => {
    bench.runtime.checkTag = () => ErrorCode.TAG_ADDRESS_INVALID;
    expect(await codeOf(add('one', 'Probe', [constant]))).to.equal(0);
  });

  it('give nodes that have a life of their own', async () => {
    await add('one');
    expect(await instantiate(['one', 'n1'], ['one', 'n2'])).to.equal(0);
    await bench.gateway.templateTags.delete('one', 'fast', ['a']);
    await bench.gateway.tags.delete('n2', 'fast', ['b']);
    const names = (node: string): string[] => bench.gateway.tags.list(node, 'fast').map(({ name }) => name);
    expect(names('n1')).to.deep.equal(['b', 'a', 'constant']);
    expect(names('n2')).to.deep.equal(['a', 'constant']);
    expect(bench.gateway.nodes.get('n1').running).to.equal(RunningState.INIT);
    expect(bench.gateway.groups.list('n1')[0]?.pace).to.deep.equal(pace);
    expect(bench.gateway.groups.list('n1').map(({ name, interval }) => [name, interval])).to.deep.equal([
      ['fast', 100],
      ['empty', 2000],
    ]);
    const before = bench.picture();
    await bench.restart();
    expect(bench.picture()).to.deep.equal(before);
    await bench.gateway.templates.deleteAll();
    await bench.restart();
    expect(bench.picture()).to.deep.equal(before);
    expect(bench.gateway.templates.list()).to.deep.equal([]);
  });

  it('give all nodes of a call or none', async () => {
    await add('one');
    await instantiate(['one', 'taken']);
    const before = bench.picture();
    const stored = await bench.store.load();
    expect(await instantiate(['one', 'n1'], ['absent', 'n2'])).to.equal(ErrorCode.TEMPLATE_NOT_FOUND);
    expect(await instantiate(['one', 'n1'], ['one', 'taken'])).to.equal(ErrorCode.NODE_EXISTS);
    expect(await instantiate(['one', 'n1'], ['one', 'n1'])).to.equal(ErrorCode.NODE_EXISTS);
    expect(bench.picture()).to.deep.equal(before);
    expect(await bench.store.load()).to.deep.equal(stored);
  });

  it('refuse a call whose nodes would have too many tags, rather than fill the memory', async () => {
    const tags = Array.from({ length: 1000 }, (_, index) => tag(`t${index}`));
    await add('large', 'Probe', tags);
    const pairs = Array.from({ length: 201 }, (_, index): [string, string] => ['large', `n${index}`]);
    expect(await instantiate(...pairs)).to.equal(ErrorCode.BODY_INVALID);
    expect(bench.gateway.nodes.all()).to.deep.equal([]);
  });

  it('outlive their plugin, and work again once it is back', async () => {
    await add('one');
    await bench.restart([slowPlugin, appPlugin]);
    const [one] = bench.gateway.templates.list();
    expect(one && bench.gateway.templates.pluginName(one)).to.equal('Probe');
    expect(await instantiate(['one', 'n1'])).to.equal(ErrorCode.LIBRARY_NOT_FOUND);
    expect(await codeOf(bench.gateway.templateTags.add('one', 'fast', [tag('new')]))).to.equal(
      ErrorCode.LIBRARY_NOT_FOUND,
    );
    await bench.restart();
    expect(await instantiate(['one', 'n1'])).to.equal(0);
  });

  it('keep of a batch the tags before the bad one', async () => {
    await add('one');
    bench.runtime.checkTag = ({ address }) => (address === 'bad' ? ErrorCode.TAG_ADDRESS_INVALID : 0);
    const bad = tag('bad', { address: 'bad' });
    const { templateTags } = bench.gateway;
    expectRefused(await templateTags.add('one', 'fast', [tag('c'), bad, tag('d')]), {
      index: 1,
      error: ErrorCode.TAG_ADDRESS_INVALID,
    });
    expectRefused(await templateTags.add('one', 'fast', [tag('d'), tag('d')]), {
      index: 1,
      error: ErrorCode.TAG_NAME_CONFLICT,
    });
    expectRefused(await templateTags.update('one', 'fast', [tag('a', { precision: 1 }), tag('z')]), {
      index: 1,
      error: ErrorCode.TAG_NOT_FOUND,
    });
    expect(templateTags.list('one', 'fast').map(({ name }) => name)).to.deep.equal([
      'b',
      'a',
      'constant',
      'c',
      'd',
    ]);
    expect(templateTags.list('one', 'fast', 'const').map(({ name }) => name)).to.deep.equal(['constant']);
    expect(templateTags.list('one', 'fast', 'a').find(({ name }) => name === 'a')?.precision).to.equal(1);
  });

  it('that were damaged are skipped at the start, with their groups and tags', async () => {
    await add('one');
    await add('two');
    const [first] = (await bench.store.load()).filter(([key]) => key.startsWith('template/'));
    await bench.store.commit({ set: [[first?.[0] ?? '', { name: 1 }]] });
    await bench.restart();
    expect(bench.gateway.templates.list().map(({ name }) => name)).to.deep.equal(['two']);
    expect(bench.errors.join('\n')).to.match(/"template\/0+\d+" was skipped: it is not a template/);
  });
});
