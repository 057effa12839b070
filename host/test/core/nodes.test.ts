import { ErrorCode, NodeCommand, NodeType, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { Bench, codeOf, driverPlugin, tag } from './harness.ts';

const long = 'ü'.repeat(64);
const longest = `${'ü'.repeat(63)}x`;

describe('nodes', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const names = (): string[] => bench.gateway.nodes.all().map((node) => node.name);
  const add = (name: string, plugin = 'Probe', params?: Record<string, unknown>): Promise<void> =>
    bench.gateway.nodes.add(params === undefined ? { name, plugin } : { name, plugin, params });

  it('are refused in the order name, plugin, name taken, settings', async () => {
    await add('a');
    expect(await codeOf(add('', 'none'))).to.equal(ErrorCode.NODE_NAME_EMPTY);
    expect(await codeOf(add(long, 'none'))).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
    expect(await codeOf(add('a', 'none'))).to.equal(ErrorCode.LIBRARY_NOT_FOUND);
    expect(await codeOf(add('a', 'Probe', { port: 0 }))).to.equal(ErrorCode.NODE_EXISTS);
    expect(await codeOf(add('b', 'Probe', { port: 0 }))).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(await codeOf(add(longest))).to.equal(0);
    expect(names()).to.deep.equal(['a', longest]);
  });

  it('run at once when they are added with settings', async () => {
    await add('a', 'Probe', { port: 5 });
    expect(bench.gateway.nodes.get('a').running).to.equal(RunningState.RUNNING);
    expect(bench.runtime.take()).to.deep.equal(['start a']);
  });

  it('exist once when two clients add the same name at the same time', async () => {
    const codes = await Promise.all([codeOf(add('a')), codeOf(add('a')), codeOf(add('a', 'Uplink'))]);
    expect(codes).to.deep.equal([0, ErrorCode.NODE_EXISTS, ErrorCode.NODE_EXISTS]);
  });

  it('are listed by type, plugin and a part of their name', async () => {
    await add('plc 1');
    await add('up', 'Uplink');
    await add('plc 2', 'Slow');
    const list = (...args: Parameters<typeof bench.gateway.nodes.list>): string[] =>
      bench.gateway.nodes.list(...args).map((node) => node.name);
    expect(list(NodeType.DRIVER)).to.deep.equal(['plc 1', 'plc 2']);
    expect(list(NodeType.APP)).to.deep.equal(['up']);
    expect(list(NodeType.DRIVER, 'Slow')).to.deep.equal(['plc 2']);
    expect(list(NodeType.DRIVER, 'slow')).to.deep.equal([]);
    expect(list(NodeType.DRIVER, undefined, '1')).to.deep.equal(['plc 1']);
    expect(list(NodeType.DRIVER, undefined, 'PLC')).to.deep.equal([]);
  });

  describe('their settings', () => {
    it('come back as they were sent, and reach the plugin with defaults', async () => {
      await add('a');
      expect(await codeOf(() => bench.gateway.nodes.setting('a'))).to.equal(ErrorCode.NODE_SETTING_NOT_FOUND);
      expect(await codeOf(() => bench.gateway.nodes.setting('b'))).to.equal(ErrorCode.NODE_NOT_FOUND);
      await bench.gateway.nodes.setSetting('a', { port: 5, extra: true });
      expect(bench.gateway.nodes.setting('a')).to.deep.equal({ port: 5, extra: true });
      expect(bench.gateway.nodes.get('a').settings).to.deep.include({ port: 5, host: 'localhost' });
    });

    it('touch nothing when they are the same, and only their node when they change', async () => {
      await add('a', 'Probe', { port: 5 });
      await add('b', 'Probe', { port: 6 });
      bench.runtime.take();
      await bench.gateway.nodes.setSetting('a', { port: 5 });
      await bench.gateway.nodes.setSetting('a', { host: 'localhost', port: 5 });
      expect(bench.runtime.take()).to.deep.equal([]);
      expect(bench.gateway.nodes.setting('a')).to.deep.equal({ host: 'localhost', port: 5 });
      await bench.gateway.nodes.setSetting('a', { port: 7 });
      expect(bench.runtime.take()).to.deep.equal(['start a']);
    });

    it('stay what they were when the schema or the plugin refuses the new ones', async () => {
      await add('a', 'Probe', { port: 5 });
      expect(await codeOf(bench.gateway.nodes.setSetting('none', {}))).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(await codeOf(bench.gateway.nodes.setSetting('a', {}))).to.equal(ErrorCode.NODE_SETTING_INVALID);
      bench.runtime.checkSettings = () => Promise.reject(new Fault(ErrorCode.NODE_SETTING_INVALID));
      expect(await codeOf(bench.gateway.nodes.setSetting('a', { port: 6 }))).to.equal(
        ErrorCode.NODE_SETTING_INVALID,
      );
      expect(bench.gateway.nodes.setting('a')).to.deep.equal({ port: 5 });
      await bench.restart();
      expect(bench.gateway.nodes.setting('a')).to.deep.equal({ port: 5 });
    });
  });

  describe('a rename', () => {
    it('is refused in the order new name, old name, name taken', async () => {
      await add('a');
      await add('b');
      const rename = (name: string, to: string): Promise<number> =>
        codeOf(bench.gateway.nodes.rename(name, to));
      expect(await rename('none', '')).to.equal(ErrorCode.NODE_NAME_EMPTY);
      expect(await rename('none', long)).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
      expect(await rename(long, 'c')).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
      expect(await rename('none', 'b')).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(await rename('a', 'b')).to.equal(ErrorCode.NODE_EXISTS);
      expect(await rename('a', 'a')).to.equal(ErrorCode.NODE_EXISTS);
    });

    it('keeps the place in the list, groups, tags and subscriptions, and puts the log level back', async () => {
      await add('a', 'Probe', { port: 1 });
      await add('up', 'Uplink');
      await bench.gateway.tags.add('a', 'g', [tag('t')]);
      await bench.gateway.subscriptions.add('up', [{ driver: 'a', group: 'g', params: { topic: 'x' } }]);
      bench.gateway.logLevels.set('a', 'debug');
      bench.runtime.take();
      await bench.gateway.nodes.rename('a', 'z');
      expect(bench.runtime.take()).to.deep.equal(['changed z/g', 'start z']);
      expect(names()).to.deep.equal(['z', 'up']);
      expect(bench.gateway.logLevels.of('z')).to.equal('notice');
      const before = bench.picture();
      expect(bench.gateway.subscriptions.list('up').map(({ group }) => group.node.name)).to.deep.equal(['z']);
      await bench.restart();
      expect(bench.picture()).to.deep.equal(before);
    });
  });

  describe('deleting', () => {
    it('a driver takes its groups, its tags and every subscription to it along', async () => {
      await add('a');
      await add('b');
      await add('up', 'Uplink');
      for (const driver of ['a', 'b']) {
        await bench.gateway.tags.add(driver, 'g', [tag('t'), tag('u')]);
        await bench.gateway.subscriptions.add('up', [{ driver, group: 'g' }]);
      }
      bench.runtime.take();
      await bench.gateway.nodes.delete('a');
      expect(bench.runtime.take()).to.deep.equal(['routed up', 'forget a']);
      expect(await codeOf(bench.gateway.nodes.delete('a'))).to.equal(ErrorCode.NODE_NOT_FOUND);
      expect(bench.gateway.subscriptions.list('up').map(({ group }) => group.node.name)).to.deep.equal(['b']);
      const keys = (await bench.store.load()).map(([key]) => key.split('/')[0]);
      expect(keys).to.deep.equal(['group', 'node', 'node', 'sequence', 'subscription', 'tag', 'tag', 'user']);
      const before = bench.picture();
      await bench.restart();
      expect(bench.picture()).to.deep.equal(before);
      expect(bench.errors).to.deep.equal([]);
    });

    it('an app takes its subscriptions along, after which the group can be deleted', async () => {
      await add('a');
      await add('up', 'Uplink');
      await bench.gateway.groups.add('a', 'g', 100);
      await bench.gateway.subscriptions.add('up', [{ driver: 'a', group: 'g' }]);
      expect(await codeOf(bench.gateway.groups.delete('a', 'g'))).to.equal(ErrorCode.GROUP_SUBSCRIBED);
      await bench.gateway.nodes.delete('up');
      expect(await codeOf(bench.gateway.groups.delete('a', 'g'))).to.equal(0);
    });

    it('leaves no id to be given again after a restart', async () => {
      await add('a');
      await add('b');
      const { id } = bench.gateway.nodes.get('b');
      await bench.gateway.nodes.delete('b');
      await bench.restart();
      await add('b');
      expect(bench.gateway.nodes.get('b').id).to.be.greaterThan(id);
    });
  });

  it('of a plugin that hangs do not hold up the changes of others', async () => {
    await add('hung', 'Slow');
    await add('a');
    const never = new Promise<never>(() => undefined);
    bench.runtime.checkSettings = (plugin) => (plugin === driverPlugin ? Promise.resolve() : never);
    bench.runtime.start = (node) => (node.name === 'a' ? Promise.resolve() : never);
    void bench.gateway.nodes.setSetting('hung', { port: 1 });
    await bench.gateway.nodes.setSetting('a', { port: 1 });
    bench.runtime.checkSettings = async () => undefined;
    void bench.gateway.nodes.setSetting('hung', { port: 2 });
    await bench.gateway.nodes.control('a', NodeCommand.STOP);
    await bench.gateway.nodes.delete('hung');
    expect(names()).to.deep.equal(['a']);
  });

  describe('whose library is missing', () => {
    beforeEach(async () => {
      await add('gone', 'Slow', { port: 1 });
      await add('up', 'Uplink');
      await bench.gateway.tags.add('gone', 'g', [tag('t')]);
      await bench.gateway.subscriptions.add('up', [{ driver: 'gone', group: 'g' }]);
    });

    it('are kept, named in the log, not started, and as before when the library is back', async () => {
      const before = bench.picture();
      await bench.restart([driverPlugin]);
      expect(
        bench.errors.map((text) => /The node "(.*?)" does not run: its plugin "(.*?)"/.exec(text)?.slice(1)),
      ).to.deep.equal([
        ['gone', 'Slow'],
        ['up', 'Uplink'],
      ]);
      bench.gateway.start();
      expect(bench.runtime.take()).to.deep.equal([]);
      expect(bench.picture()).to.deep.equal(before);
      await bench.restart();
      expect(bench.errors).to.deep.equal([]);
      expect(bench.picture()).to.deep.equal(before);
      expect(bench.gateway.nodes.get('gone').settings).to.deep.include({ port: 1 });
    });

    it('can be stopped, renamed and deleted, but nothing can be asked of their plugin', async () => {
      await bench.restart([driverPlugin]);
      const { gateway } = bench;
      const failed = ErrorCode.LIBRARY_OPEN_FAILED;
      expect(await codeOf(gateway.nodes.setSetting('gone', { port: 9 }))).to.equal(failed);
      expect(await codeOf(gateway.tags.add('gone', 'g', [tag('u')]))).to.equal(failed);
      expect(await codeOf(gateway.subscriptions.add('up', [{ driver: 'gone', group: 'g' }]))).to.equal(
        failed,
      );
      expect(await codeOf(gateway.nodes.control('gone', NodeCommand.STOP))).to.equal(0);
      expect(await codeOf(gateway.nodes.control('gone', NodeCommand.START))).to.equal(failed);
      await gateway.nodes.rename('gone', 'lost');
      await bench.restart();
      expect(bench.gateway.nodes.get('lost').running).to.equal(RunningState.STOPPED);
      await bench.restart([driverPlugin]);
      await bench.gateway.nodes.delete('lost');
      expect(names()).to.deep.equal(['up']);
    });
  });
});
