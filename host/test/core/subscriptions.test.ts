import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { Bench, codeOf } from './harness.ts';

describe('subscriptions', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'a', plugin: 'Probe' });
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink' });
    for (const group of ['g', 'h', 'i']) await bench.gateway.groups.add('a', group, 100);
    bench.runtime.checkSubscription = async (_plugin, { params }) => {
      if (params?.['topic'] === '') throw new Fault(ErrorCode.GROUP_PARAM_INVALID);
    };
    bench.runtime.take();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const list = (): unknown[] =>
    bench.gateway.subscriptions.list('up').map(({ group, params }) => [group.name, params]);
  const subscribe = (
    app: string,
    driver: string,
    group: string,
    params?: Record<string, unknown>,
  ): Promise<number> => codeOf(bench.gateway.subscriptions.add(app, [{ driver, group, params }]));

  it('are refused in the order app, its type, params, driver, group, present already', async () => {
    const bad = { topic: '' };
    expect(await subscribe('n'.repeat(128), 'none', 'none', bad)).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
    expect(await subscribe('up', 'a', 'g'.repeat(128), bad)).to.equal(ErrorCode.GROUP_NAME_TOO_LONG);
    expect(await subscribe('none', 'none', 'none', bad)).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await subscribe('a', 'none', 'none', bad)).to.equal(ErrorCode.NODE_NOT_SUBSCRIBABLE);
    expect(await subscribe('up', 'none', 'none', bad)).to.equal(ErrorCode.GROUP_PARAM_INVALID);
    expect(await subscribe('up', 'none', 'none')).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await subscribe('up', 'up', 'g')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await subscribe('up', 'a', 'none')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await subscribe('up', 'a', 'g', { topic: 't' })).to.equal(0);
    expect(await subscribe('up', 'a', 'g')).to.equal(ErrorCode.GROUP_SUBSCRIBED);
    expect(list()).to.deep.equal([['g', { topic: 't' }]]);
    expect(bench.runtime.take()).to.deep.equal(['routed up g']);
  });

  it('are made up to the first that is refused', async () => {
    const groups = (...names: string[]): { driver: string; group: string }[] =>
      names.map((group) => ({ driver: 'a', group }));
    expect(await codeOf(bench.gateway.subscriptions.add('up', groups('g', 'h', 'none', 'i')))).to.equal(
      ErrorCode.GROUP_NOT_FOUND,
    );
    expect(bench.runtime.take()).to.deep.equal(['routed up g h']);
    expect(await codeOf(bench.gateway.subscriptions.add('up', groups('i', 'i')))).to.equal(
      ErrorCode.GROUP_SUBSCRIBED,
    );
    expect(await codeOf(bench.gateway.subscriptions.add('up', []))).to.equal(0);
    expect(await codeOf(bench.gateway.subscriptions.add('none', []))).to.equal(ErrorCode.NODE_NOT_FOUND);
    const withParams = [
      { driver: 'a', group: 'none' },
      { driver: 'a', group: 'g', params: { topic: '' } },
    ];
    expect(await codeOf(bench.gateway.subscriptions.add('up', withParams))).to.equal(
      ErrorCode.GROUP_NOT_FOUND,
    );
    expect(list()).to.deep.equal([
      ['g', undefined],
      ['h', undefined],
      ['i', undefined],
    ]);
  });

  it('can change their parameters as a whole', async () => {
    await subscribe('up', 'a', 'g', { topic: 't', qos: 1 });
    bench.runtime.take();
    const update = (
      app: string,
      driver: string,
      group: string,
      params: Record<string, unknown>,
    ): Promise<number> => codeOf(bench.gateway.subscriptions.update(app, { driver, group, params }));
    expect(await update('none', 'a', 'g', {})).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await update('up', 'a', 'h', {})).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await update('up', 'a', 'g', { topic: '' })).to.equal(ErrorCode.GROUP_PARAM_INVALID);
    expect(await update('up', 'a', 'g', { qos: 1, topic: 't' })).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal([]);
    expect(await update('up', 'a', 'g', { topic: 'u' })).to.equal(0);
    expect(bench.runtime.take()).to.deep.equal(['routed up']);
    await bench.restart();
    expect(list()).to.deep.equal([['g', { topic: 'u' }]]);
  });

  it('end when they are deleted', async () => {
    await subscribe('up', 'a', 'g');
    await subscribe('up', 'a', 'h');
    const unsubscribe = (app: string, driver: string, group: string): Promise<number> =>
      codeOf(bench.gateway.subscriptions.delete(app, driver, group));
    expect(await unsubscribe('up', 'a', 'g')).to.equal(0);
    expect(await unsubscribe('up', 'a', 'g')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await unsubscribe('a', 'a', 'g')).to.equal(ErrorCode.GROUP_NOT_FOUND);
    expect(await unsubscribe('none', 'a', 'g')).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await codeOf(bench.gateway.groups.delete('a', 'g'))).to.equal(0);
    await bench.restart();
    expect(list()).to.deep.equal([['h', undefined]]);
  });

  it('follow the rename of a group', async () => {
    await subscribe('up', 'a', 'g', { topic: 't' });
    await bench.gateway.groups.update('a', 'g', { newName: 'z' });
    expect(list()).to.deep.equal([['z', { topic: 't' }]]);
  });

  it('of a node that does not exist are none', () => {
    expect(bench.gateway.subscriptions.list('none')).to.deep.equal([]);
  });
});
