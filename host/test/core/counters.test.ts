import { RunningState } from '@tagway/schemas';
import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { keys } from '../../src/core/records/records.ts';
import { Bench } from './harness.ts';

describe('numbers of a node', () => {
  let bench: Bench;

  const next = (name = 'births', least = 1, node = 'up'): Promise<number> =>
    bench.runtime.events.sequence(bench.gateway.nodes.get(node), name, least);

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => (error as Fault).code,
    );

  const stored = async (): Promise<unknown[]> =>
    (await bench.store.load()).filter(([key]) => key.startsWith('counter/'));

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'up', plugin: 'Uplink', params: { port: 1 } });
    await bench.gateway.nodes.add({ name: 'other', plugin: 'Uplink', params: { port: 1 } });
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('go up by one, each sequence by itself, and go on after a restart', async () => {
    expect(await Promise.all([next(), next(), next('deaths'), next('births', 1, 'other')])).to.deep.equal([
      ...[1, 2, 1, 1],
    ]);
    await bench.restart();
    expect(bench.errors).to.deep.equal([]);
    expect([await next(), await next('deaths'), await next('births', 1, 'other')]).to.deep.equal([3, 2, 2]);
  });

  it('are never less than what is asked for, and never go back', async () => {
    expect([await next('a', 0), await next('a', 0)]).to.deep.equal([0, 1]);
    expect([await next('a', 200), await next('a', 7), await next('a')]).to.deep.equal([200, 201, 202]);
    await bench.restart();
    expect(await next('a', 7)).to.equal(203);
  });

  it('are gone with their node', async () => {
    await next();
    const { id } = bench.gateway.nodes.get('up');
    expect(await stored()).to.deep.equal([[keys.counter(id, 'births'), 1]]);
    const node = bench.gateway.nodes.get('up');
    await bench.gateway.nodes.delete('up');
    expect(await stored()).to.deep.equal([]);
    expect(await codeOf(bench.runtime.events.sequence(node, 'births', 1))).to.equal(ErrorCode.NODE_NOT_FOUND);
    expect(await stored()).to.deep.equal([]);
  });

  it('are gone with a node that an import replaces', async () => {
    await next();
    await bench.gateway.transfer.replaceAll([], []);
    expect(await stored()).to.deep.equal([]);
  });

  it('are not given when they cannot be stored, and not left out either', async () => {
    await next();
    const { store } = bench;
    const commit = store.commit.bind(store);
    store.commit = () => Promise.reject(new Fault(ErrorCode.INTERNAL, 'The disk is full.'));
    expect(await codeOf(next())).to.equal(ErrorCode.INTERNAL);
    store.commit = commit;
    expect(await next()).to.equal(2);
  });

  it('have names and a count that are bounded', async () => {
    for (const name of ['', '7', 'a/b', 'ü', 'a'.repeat(65)])
      expect(await codeOf(next(name)), name).to.equal(ErrorCode.PARAM_INVALID);
    for (let count = 0; count < 16; count++) await next(`a${count}`);
    expect(await codeOf(next('a16'))).to.equal(ErrorCode.PARAM_INVALID);
    expect(await next('a15')).to.equal(2);
    expect(await codeOf(next('a15', Number.MAX_SAFE_INTEGER))).to.equal('done');
    expect(await codeOf(next('a15'))).to.equal(ErrorCode.PARAM_INVALID);
  });

  it('that are none are named and left alone', async () => {
    const { id } = bench.gateway.nodes.get('up');
    await next();
    await bench.store.commit({
      set: [
        [keys.counter(id, 'bad'), 'x'],
        [keys.counter(999, 'births'), 1],
      ],
    });
    await bench.restart();
    expect(bench.errors).to.have.length(2);
    expect(await next()).to.equal(2);
  });
});

describe('tails', () => {
  it('are those of the apps that are to run, and of no driver', async () => {
    await using bench = await Bench.open();
    for (const [name, plugin] of [
      ['a', 'Probe'],
      ['up', 'Uplink'],
      ['stopped', 'Uplink'],
    ] as const)
      await bench.gateway.nodes.add({ name, plugin, params: { port: 1 } });
    await bench.gateway.nodes.control('stopped', 1);
    await bench.restart();
    bench.gateway.startAtStandby();
    expect(bench.runtime.take()).to.deep.equal(['tail up']);
    bench.gateway.start();
    expect(bench.runtime.take()).to.deep.equal(['start up', 'drivers wait for up', 'start a']);
    expect(bench.gateway.nodes.get('up').running).to.equal(RunningState.RUNNING);
  });
});
