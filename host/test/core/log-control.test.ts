import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { Bench, codeOf } from './harness.ts';

describe('log levels over the API', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'a', plugin: 'Probe' });
    await bench.gateway.nodes.add({ name: 'b', plugin: 'Probe' });
    bench.runtime.take();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const levels = (): string[] => {
    const { logLevels } = bench.gateway;
    return [logLevels.core, logLevels.of('a'), logLevels.of('b')];
  };

  it('change for the core, for a node, or for both, and the node’s runner is told', () => {
    const { logControl } = bench.gateway;
    logControl.set('debug', undefined, true);
    expect(levels()).to.deep.equal(['debug', 'notice', 'notice']);
    expect(bench.runtime.take()).to.deep.equal([]);
    logControl.set('error', 'a', false);
    expect(levels()).to.deep.equal(['debug', 'error', 'notice']);
    expect(bench.runtime.take()).to.deep.equal(['leveled a']);
    logControl.set('warn', 'b', true);
    expect(levels()).to.deep.equal(['warn', 'error', 'warn']);
  });

  it('stay as they are when the node is missing', async () => {
    expect(await codeOf(() => bench.gateway.logControl.set('debug', 'absent', true))).to.equal(
      ErrorCode.NODE_NOT_FOUND,
    );
    expect(await codeOf(() => bench.gateway.logControl.set('debug', 'n'.repeat(128), true))).to.equal(
      ErrorCode.NODE_NAME_TOO_LONG,
    );
    expect(levels()).to.deep.equal(['notice', 'notice', 'notice']);
  });

  it('are gone with a rename, with a deletion and with a restart', async () => {
    bench.gateway.logControl.set('debug', 'a', false);
    await bench.gateway.nodes.rename('a', 'c');
    await bench.gateway.nodes.rename('c', 'a');
    expect(levels()[1]).to.equal('notice');
    bench.gateway.logControl.set('debug', 'a', true);
    await bench.restart();
    expect(levels()).to.deep.equal(['notice', 'notice', 'notice']);
  });

  it('are what they were after the time for that, if there is one', async () => {
    bench.logLevelRevert = 0.05;
    await bench.restart();
    bench.gateway.logControl.set('debug', 'a', true);
    expect(levels()).to.deep.equal(['debug', 'debug', 'notice']);
    // The timer does not hold the process, so something else has to.
    for (let i = 0; i < 100 && levels().includes('debug'); i++) await delay(20);
    expect(levels()).to.deep.equal(['notice', 'notice', 'notice']);
    expect(bench.runtime.take()).to.deep.equal(['leveled a', 'leveled a']);
  });
});
