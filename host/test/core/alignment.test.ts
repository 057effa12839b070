import { ErrorCode, RunningState } from '@tagway/schemas';
import { expect } from 'chai';
import type { TagBody } from '../../src/core/model.ts';
import type { TemplateBody } from '../../src/core/templates/template-drafts.ts';
import type { ConfigurationDraft } from '../../src/core/transfer/configuration-draft.ts';
import { groupDrafts, type NodeDraft } from '../../src/core/transfer/drafts.ts';
import { Bench, codeOf, tag } from './harness.ts';

const template = (name: string, ...tags: TagBody[]): TemplateBody => ({
  name,
  plugin: 'Probe',
  groups: [{ name: 'g', interval: 1000, tags }],
});

describe('an alignment', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    const { gateway } = bench;
    await gateway.nodes.add({ name: 'd', plugin: 'Probe', params: { port: 9 } });
    await gateway.nodes.add({ name: 'other', plugin: 'Slow', params: { port: 9 } });
    await gateway.nodes.add({ name: 'up', plugin: 'Uplink', params: { port: 9 } });
    for (const group of ['g', 'h']) await gateway.tags.add('d', group, [tag('one'), tag('two')]);
    await gateway.tags.add('other', 'g', [tag('old')]);
    for (const group of ['g', 'h']) await gateway.subscriptions.add('up', [{ driver: 'd', group }]);
    await gateway.templates.add(template('t', tag('x')));
    bench.runtime.take();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  /** What is there, as a draft. */
  function present(change: (node: NodeDraft) => NodeDraft | undefined = (node) => node): ConfigurationDraft {
    const { gateway } = bench;
    const nodes = gateway.nodes.all();
    return {
      nodes: nodes.flatMap(
        ({ name, plugin, params, running, groups, profile }) =>
          change({
            name,
            plugin: plugin.name,
            params,
            profile,
            isStopped: running === RunningState.STOPPED,
            groups: groupDrafts(groups),
          }) ?? [],
      ),
      subscriptions: nodes.flatMap(({ name: app, subscriptions }) =>
        Array.from(subscriptions.values(), ({ group, params }) => ({
          app,
          driver: group.node.name,
          group: group.name,
          params,
        })),
      ),
      templates: gateway.templates.list().map(({ name, groups }) => ({
        name,
        plugin: 'Probe',
        groups: groupDrafts(groups),
      })),
    };
  }

  const of =
    (name: string, change: Partial<NodeDraft>) =>
    (node: NodeDraft): NodeDraft =>
      node.name === name ? { ...node, ...change } : node;
  const without = (name: string) => (node: NodeDraft) => (node.name === name ? undefined : node);
  const align = (wanted: ConfigurationDraft): Promise<void> => bench.gateway.transfer.align(wanted);

  /** The picture after a restart is the one before. */
  async function expectStored(): Promise<void> {
    const picture = bench.picture();
    await bench.restart();
    expect(bench.picture()).to.deep.equal(picture);
  }

  it('to what is there does nothing, and no runtime hears of it', async () => {
    const before = bench.picture();
    await align(present());
    expect([bench.runtime.take(), bench.picture()]).to.deep.equal([[], before]);
    expect(await bench.gateway.transfer.alignmentProblems(present())).to.deep.equal([]);
  });

  it('changes tags and groups in their places, and starts no node anew', async () => {
    const { id } = bench.gateway.nodes.get('d').groups.get('g')!;
    const groups = [
      { name: 'g', interval: 500, tags: [tag('two', { description: 'new' }), tag('three')] },
      { name: 'k', interval: 1000, history: 5, tags: [tag('four')] },
    ];
    const { subscriptions, ...rest } = present(of('d', { groups }));
    await align({ ...rest, subscriptions: subscriptions.filter(({ group }) => group !== 'h') });
    const node = bench.gateway.nodes.get('d');
    expect([...node.groups.keys()]).to.deep.equal(['g', 'k']);
    expect([node.groups.get('g')?.id, node.groups.get('g')?.interval]).to.deep.equal([id, 500]);
    expect([...node.groups.get('g')!.tags.keys()]).to.deep.equal(['two', 'three']);
    expect(node.groups.get('g')?.tags.get('two')?.description).to.equal('new');
    expect(node.groups.get('k')?.history).to.equal(5);
    const calls = bench.runtime.take();
    expect(calls.filter((call) => /^(start|stop|forget)/.test(call))).to.deep.equal([]);
    expect(calls.join()).to.include('removed').and.to.include('changed').and.to.include('up');
    await expectStored();
  });

  it('starts anew the node whose settings change, and no other', async () => {
    await align(present(of('d', { params: { port: 10 } })));
    expect(bench.gateway.nodes.get('d').params).to.deep.equal({ port: 10 });
    expect(bench.runtime.take()).to.deep.equal(['start d']);
    await align(present(of('d', { params: { port: 10, host: 'localhost' } })));
    expect(bench.runtime.take(), 'what is the default anyway').to.deep.equal([]);
    await expectStored();
  });

  it('stops and starts nodes as the draft says', async () => {
    await align(present(of('d', { isStopped: true })));
    expect(bench.runtime.take()).to.deep.equal(['stop d']);
    await expectStored();
    bench.runtime.take();
    await align(present(of('d', { isStopped: false })));
    expect(bench.runtime.take()).to.deep.equal(['start d']);
  });

  it('removes, adds and replaces nodes, and ends runs before it begins others', async () => {
    const wanted = present(without('other'));
    const groups = [{ name: 'g', interval: 1000, tags: [tag('one'), tag('two')] }];
    const nodes = wanted.nodes.map((node) =>
      node.name === 'd' ? { ...node, plugin: 'Slow', groups } : node,
    );
    const fresh: NodeDraft = {
      name: 'fresh',
      plugin: 'Probe',
      params: { port: 1 },
      isStopped: false,
      groups,
    };
    await align({
      ...wanted,
      nodes: [...nodes, fresh],
      subscriptions: ['d', 'fresh'].map((driver) => ({ app: 'up', driver, group: 'g', params: undefined })),
    });
    expect(bench.gateway.nodes.all().map(({ name }) => name)).to.deep.equal(['up', 'd', 'fresh']);
    const list = bench.gateway.subscriptions.list('up');
    expect(list.map(({ group }) => group.node.name)).to.deep.equal(['d', 'fresh']);
    const calls = bench.runtime.take().filter((call) => /^(start|stop|forget)/.test(call));
    expect(calls.sort()).to.deep.equal(['forget d', 'forget other', 'start d', 'start fresh']);
    await expectStored();
  });

  it('subscribes, unsubscribes and changes parameters without a start', async () => {
    const { subscriptions, ...rest } = present();
    const params = { topic: 'a' };
    await align({
      ...rest,
      subscriptions: [
        ...subscriptions.filter(({ group }) => group === 'g').map((one) => ({ ...one, params })),
        { app: 'up', driver: 'other', group: 'g', params: undefined },
      ],
    });
    const list = bench.gateway.subscriptions.list('up');
    expect(list.map(({ group, params: given }) => [group.node.name, group.name, given])).to.deep.equal([
      ['d', 'g', params],
      ['other', 'g', undefined],
    ]);
    expect(bench.runtime.take().every((call) => call.startsWith('routed up'))).to.equal(true);
    await expectStored();
  });

  it('replaces templates that are others, and leaves them alone where there are none in the draft', async () => {
    const old = bench.gateway.templates.get('t');
    await align({ ...present(), templates: [template('t', tag('x')), template('u')] });
    expect(bench.gateway.templates.get('t')).to.equal(old);
    await align({ ...present(), templates: [template('t', tag('y'))] });
    expect(bench.gateway.templates.list().map(({ name }) => name)).to.deep.equal(['t']);
    expect([...bench.gateway.templates.get('t').groups.get('g')!.tags.keys()]).to.deep.equal(['y']);
    await align({ ...present(), templates: undefined });
    expect(bench.gateway.templates.list()).to.have.lengthOf(1);
    await expectStored();
  });

  it('refuses what is wrong, with the code of the first thing, and changes nothing', async () => {
    const before = bench.picture();
    const group = (...tags: TagBody[]) => ({ groups: [{ name: 'g', interval: 1000, tags }] });
    const route = { app: 'up', driver: 'd', group: 'g', params: undefined };
    const cases: readonly [number, ConfigurationDraft][] = [
      [ErrorCode.LIBRARY_NOT_FOUND, present(of('d', { plugin: 'Nothing' }))],
      [ErrorCode.NODE_SETTING_INVALID, present(of('d', { params: { port: 0 } }))],
      [ErrorCode.TAG_NAME_CONFLICT, present(of('d', group(tag('a'), tag('a'))))],
      [ErrorCode.GROUP_PARAM_INVALID, present(of('d', { groups: [{ name: 'g', interval: 1, tags: [] }] }))],
      [ErrorCode.GROUP_NOT_FOUND, present(of('d', group(tag('a'))))],
      [ErrorCode.BODY_INVALID, { ...present(), nodes: [...present().nodes, ...present().nodes] }],
      [ErrorCode.BODY_INVALID, { ...present(), subscriptions: [route, route] }],
      [ErrorCode.PLUGIN_NOT_FOUND, { ...present(), templates: [{ ...template('z'), plugin: 'Nothing' }] }],
    ];
    for (const [code, wanted] of cases) {
      expect(await codeOf(align(wanted))).to.equal(code);
      const problems = await bench.gateway.transfer
        .alignmentProblems(wanted)
        .catch((fault: unknown) => [fault as { readonly code: number }]);
      expect(problems.map((fault) => fault.code)).to.include(code);
    }
    expect([bench.runtime.take().filter((call) => !call.startsWith('check')), bench.picture()]).to.deep.equal(
      [[], before],
    );
  });
});
