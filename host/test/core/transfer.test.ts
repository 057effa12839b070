import { ErrorCode, NodeType } from '@tagway/schemas';
import { expect } from 'chai';
import { Fault } from '@tagway/sdk';
import type { NodeDraft, SubscriptionDraft } from '../../src/core/transfer/drafts.ts';
import type { TemplateBody } from '../../src/core/templates/template-drafts.ts';
import { Bench, codeOf, tag } from './harness.ts';

const driver = (name: string, more: Partial<NodeDraft> = {}): NodeDraft => ({
  name,
  plugin: 'Probe',
  params: { port: 1 },
  isStopped: false,
  groups: [{ name: 'g', interval: 1000, tags: [tag('x'), tag('y')] }],
  ...more,
});
const app = (name: string): NodeDraft => ({ ...driver(name), plugin: 'Uplink', groups: [] });
const route = (group = 'g', of = 'd', by = 'up'): SubscriptionDraft => ({
  app: by,
  driver: of,
  group,
  params: { topic: 't' },
});

describe('an import', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    const { gateway } = bench;
    await gateway.nodes.add({ name: 'd', plugin: 'Probe', params: { port: 9 } });
    await gateway.nodes.add({ name: 'other', plugin: 'Slow' });
    await gateway.nodes.add({ name: 'up', plugin: 'Uplink', params: { port: 9 } });
    for (const group of ['g', 'h']) await gateway.tags.add('d', group, [tag('old')]);
    await gateway.tags.add('other', 'g', [tag('old')]);
    for (const group of ['g', 'h']) await gateway.subscriptions.add('up', [{ driver: 'd', group }]);
    await gateway.subscriptions.add('up', [{ driver: 'other', group: 'g' }]);
    bench.runtime.take();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const names = (): string[] => bench.gateway.nodes.all().map(({ name }) => name);

  describe('of everything', () => {
    it('takes the place of all that was there, now and after a restart', async () => {
      await bench.gateway.transfer.replaceAll(
        [
          driver('d'),
          driver('stopped', { isStopped: true }),
          driver('bare', { params: undefined }),
          app('up'),
        ],
        [route()],
      );
      const picture = bench.picture();
      expect(names()).to.deep.equal(['d', 'stopped', 'bare', 'up']);
      expect(bench.gateway.nodes.all().map(({ running }) => running)).to.deep.equal([3, 4, 1, 3]);
      expect(bench.gateway.subscriptions.list('up').map(({ group }) => group.name)).to.deep.equal(['g']);
      expect(bench.gateway.tags.list('d', 'g').map(({ name }) => name)).to.deep.equal(['x', 'y']);
      await bench.restart();
      expect(bench.picture()).to.deep.equal(picture);
    });

    it('takes a plugin by its alias and shows its name', async () => {
      await bench.gateway.transfer.replaceAll([driver('d', { plugin: 'probe-of-before' })], []);
      expect(bench.gateway.nodes.get('d').plugin.name).to.equal('Probe');
      const found = bench.gateway.nodes.list(NodeType.DRIVER, 'probe-of-before');
      expect(found.map(({ name }) => name)).to.deep.equal(['d']);
      await bench.restart();
      expect(bench.gateway.nodes.get('d').plugin.name).to.equal('Probe');
    });

    it('ends the old runs before it starts the new ones', async () => {
      await bench.gateway.transfer.replaceAll([driver('d'), app('up')], [route()]);
      const calls = bench.runtime.take();
      expect(calls.filter((call) => call.startsWith('forget')).sort()).to.deep.equal([
        'forget d',
        'forget other',
        'forget up',
      ]);
      expect(calls.slice(-2)).to.deep.equal(['start d', 'start up']);
    });

    it('replaces the templates when it brings some, even none, and otherwise leaves them alone', async () => {
      const { gateway } = bench;
      const template = (name: string, plugin = 'Probe'): TemplateBody => ({
        name,
        plugin,
        groups: [{ name: 'g', interval: 1000, tags: [tag('x')] }],
      });
      const templates = (): string[] => bench.gateway.templates.list().map(({ name }) => name);
      await gateway.templates.add(template('old'));
      await gateway.transfer.replaceAll([], []);
      expect(templates()).to.deep.equal(['old']);

      const refused: readonly [code: number, bodies: readonly TemplateBody[]][] = [
        [ErrorCode.PLUGIN_NOT_FOUND, [template('a'), template('b', 'Nothing')]],
        [ErrorCode.TEMPLATES_UNSUPPORTED, [template('a'), template('b', 'Uplink')]],
        [ErrorCode.TEMPLATE_EXISTS, [template('a'), template('a')]],
      ];
      for (const [code, bodies] of refused)
        expect(await codeOf(gateway.transfer.replaceAll([driver('d')], [], bodies))).to.equal(code);
      expect([names(), templates()]).to.deep.equal([[], ['old']]);

      await gateway.transfer.replaceAll([], [], [template('one'), template('old')]);
      await bench.restart();
      expect(templates()).to.deep.equal(['one', 'old']);
      expect([...(bench.gateway.templates.get('one').groups.get('g')?.tags.keys() ?? [])]).to.deep.equal([
        'x',
      ]);
      await bench.gateway.transfer.replaceAll([], [], []);
      await bench.restart();
      expect(templates()).to.deep.equal([]);
    });

    it('may be empty', async () => {
      await bench.gateway.transfer.replaceAll([], []);
      expect(names()).to.deep.equal([]);
      await bench.restart();
      expect(names()).to.deep.equal([]);
    });

    const refused: readonly [
      what: string,
      code: number,
      nodes: readonly NodeDraft[],
      routes?: readonly SubscriptionDraft[],
    ][] = [
      [
        'a plugin that is missing',
        ErrorCode.LIBRARY_NOT_FOUND,
        [driver('a'), driver('b', { plugin: 'Nothing' })],
      ],
      ['a node twice', ErrorCode.BODY_INVALID, [driver('a'), driver('a')]],
      ['a node without a name', ErrorCode.NODE_NAME_EMPTY, [driver('')]],
      ['a name that is too long', ErrorCode.NODE_NAME_TOO_LONG, [driver('n'.repeat(128))]],
      [
        'settings that are wrong',
        ErrorCode.NODE_SETTING_INVALID,
        [driver('a'), driver('b', { params: { port: 'x' } })],
      ],
      ['groups of an app', ErrorCode.GROUP_NOT_ALLOWED, [{ ...driver('a'), plugin: 'Uplink' }]],
      ['an interval that is too short', 2105, [withGroups(['g', 99])]],
      ['a group twice', ErrorCode.GROUP_EXISTS, [withGroups(['g', 100], ['g', 100])]],
      ['a group whose name is too long', ErrorCode.GROUP_NAME_TOO_LONG, [withGroups(['n'.repeat(128), 100])]],
      [
        'a tag that is wrong',
        ErrorCode.TAG_PRECISION_INVALID,
        [withTags(tag('a'), tag('b', { precision: 18 }))],
      ],
      ['a tag twice', ErrorCode.TAG_NAME_CONFLICT, [withTags(tag('a'), tag('b'), tag('a'))]],
      ['a subscription of nobody', ErrorCode.NODE_NOT_FOUND, [driver('d')], [route()]],
      ['a subscription of a driver', ErrorCode.NODE_NOT_SUBSCRIBABLE, [driver('d'), driver('up')], [route()]],
      [
        'a subscription of a group that is missing',
        ErrorCode.GROUP_NOT_FOUND,
        [driver('d'), app('up')],
        [route('h')],
      ],
      [
        'a subscription of a driver that is missing',
        ErrorCode.GROUP_NOT_FOUND,
        [driver('d'), app('up')],
        [route('g', 'e')],
      ],
      ['a subscription twice', ErrorCode.BODY_INVALID, [driver('d'), app('up')], [route(), route()]],
    ];
    for (const [what, code, nodes, routes = []] of refused) {
      it(`is refused with ${code}, and changes nothing, for ${what}`, async () => {
        const before = bench.picture();
        expect(await codeOf(bench.gateway.transfer.replaceAll(nodes, routes))).to.equal(code);
        expect(bench.picture()).to.deep.equal(before);
        expect(bench.runtime.take()).to.deep.equal([]);
        await bench.restart();
        expect(bench.picture()).to.deep.equal(before);
      });
    }

    it('is refused, and changes nothing, when a plugin refuses a tag, settings or parameters', async () => {
      const before = bench.picture();
      const run = () => bench.gateway.transfer.replaceAll([driver('d'), app('up')], [route()]);
      bench.runtime.checkTag = ({ name }) => (name === 'y' ? ErrorCode.TAG_ADDRESS_INVALID : 0);
      expect(await codeOf(run())).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      bench.runtime.checkTag = () => 0;
      bench.runtime.checkSettings = (plugin) =>
        plugin.name === 'Uplink'
          ? Promise.reject(new Fault(ErrorCode.NODE_SETTING_INVALID))
          : Promise.resolve();
      expect(await codeOf(run())).to.equal(ErrorCode.NODE_SETTING_INVALID);
      bench.runtime.checkSettings = async () => undefined;
      bench.runtime.checkSubscription = () => Promise.reject(new Fault(ErrorCode.GROUP_PARAM_INVALID));
      expect(await codeOf(run())).to.equal(ErrorCode.GROUP_PARAM_INVALID);
      expect(bench.picture()).to.deep.equal(before);
    });

    it('changes nothing when it cannot be stored', async () => {
      const before = bench.picture();
      await bench.store.close();
      expect(await codeOf(bench.gateway.transfer.replaceAll([driver('d')], []))).to.equal(ErrorCode.INTERNAL);
      expect(bench.picture()).to.deep.equal(before);
      expect(bench.runtime.take()).to.deep.equal([]);
      await bench.begin();
      expect(bench.picture()).to.deep.equal(before);
    });
  });

  describe('of drivers', () => {
    it('replaces those of the same names, adds others, and leaves the rest alone', async () => {
      await bench.gateway.transfer.replaceDrivers([driver('new'), driver('d')]);
      expect(names()).to.deep.equal(['other', 'up', 'new', 'd']);
      expect(bench.gateway.tags.list('d', 'g').map(({ name }) => name)).to.deep.equal(['x', 'y']);
      expect(bench.gateway.tags.list('other', 'g').map(({ name }) => name)).to.deep.equal(['old']);
      const picture = bench.picture();
      await bench.restart();
      expect(bench.picture()).to.deep.equal(picture);
    });

    it('keeps the subscriptions to groups that are there afterwards', async () => {
      await bench.gateway.transfer.replaceDrivers([driver('d')]);
      const subscriptions = bench.gateway.subscriptions.list('up');
      expect(subscriptions.map(({ group }) => `${group.node.name}/${group.name}`)).to.deep.equal([
        'other/g',
        'd/g',
      ]);
      expect(bench.gateway.nodes.get('d').groups.get('g')?.subscriptions.size).to.equal(1);
      expect(bench.runtime.take()).to.include('routed up');
    });

    it('is refused for an app’s plugin, for an app’s name, and for more than 512 groups', async () => {
      const before = bench.picture();
      const many = Array.from({ length: 513 }, (_, i) => ({ name: `g${i}`, interval: 1000, tags: [] }));
      const { transfer } = bench.gateway;
      expect(await codeOf(transfer.replaceDrivers([driver('e'), app('a')]))).to.equal(
        ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
      );
      expect(await codeOf(transfer.replaceDrivers([driver('e'), driver('up')]))).to.equal(
        ErrorCode.NODE_EXISTS,
      );
      expect(await codeOf(transfer.replaceDrivers([driver('e', { groups: many })]))).to.equal(
        ErrorCode.GROUP_LIMIT,
      );
      expect(await codeOf(transfer.replaceDrivers([driver('e'), driver('e')]))).to.equal(
        ErrorCode.BODY_INVALID,
      );
      expect(bench.picture()).to.deep.equal(before);
      await transfer.replaceDrivers([driver('e', { groups: many.slice(1) })]);
      expect(bench.gateway.groups.list('e')).to.have.length(512);
    });
  });
});

function withGroups(...groups: [name: string, interval: number][]): NodeDraft {
  return driver('a', { groups: groups.map(([name, interval]) => ({ name, interval, tags: [] })) });
}

function withTags(...tags: ReturnType<typeof tag>[]): NodeDraft {
  return driver('a', { groups: [{ name: 'g', interval: 1000, tags }] });
}
