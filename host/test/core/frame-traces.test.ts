import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { FrameTraces, traceLimits, type TraceLimits } from '../../src/core/nodes/frame-traces.ts';
import type { TracedFrame, TraceFilter } from '../../src/core/ports/ports.ts';
import { State } from '../../src/core/records/state.ts';
import { appPlugin, Bench, codeOf, driverPlugin } from './harness.ts';

const connection = { id: 1, peer: '127.0.0.1:502', datagrams: false };

function frames(count: number, size = 10): TracedFrame[] {
  return Array.from({ length: count }, (_, at) => ({
    at,
    direction: 'sent',
    size,
    data: new Uint8Array(size),
    connection,
  }));
}

describe('traces of frames', () => {
  let bench: Bench;
  let filters: TraceFilter[];
  beforeEach(async () => {
    bench = await Bench.open();
    for (const name of ['a', 'b', 'c']) {
      await bench.gateway.nodes.add({ name, plugin: driverPlugin.name, params: { port: 502 } });
      await bench.gateway.groups.add(name, 'g', 1000);
    }
    const tag = { name: 't', address: 'x', type: DataType.INT16, attribute: Attribute.READ };
    await bench.gateway.tags.add('a', 'g', [tag]);
    filters = [];
    bench.runtime.trace = async ({ name }, filter) => {
      bench.runtime.calls.push(`trace ${name} ${filter === undefined ? 'off' : 'on'}`);
      if (filter !== undefined) filters.push(filter);
    };
    bench.runtime.take();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  /** Traces of the gateway's nodes with limits of their own. */
  function withLimits(limits: Partial<TraceLimits>): FrameTraces {
    const { nodes, plugins, logLevels } = bench.gateway;
    const state = new State({ runtime: bench.runtime, plugins, logLevels } as never);
    for (const node of nodes.all()) state.nodes.set(node.name, node);
    return new FrameTraces(state, { ...traceLimits, ...limits });
  }

  const idOf = (name: string): number => bench.gateway.nodes.get(name).id;
  const take = (traces: FrameTraces, name: string, some: readonly TracedFrame[], full = false): void =>
    traces.take(driverPlugin, { node: idOf(name), trace: filters.at(-1)?.id ?? 0, frames: some, full });

  it('hold what comes, and give a run that begins meanwhile what is left of their limits', async () => {
    const { frameTraces: traces } = bench.gateway;
    await traces.begin('a', { group: 'g', tag: 't', unit: '1' });
    expect(filters[0]).to.deep.include({
      unit: '1',
      tag: { name: 't', address: 'x', type: DataType.INT16, attribute: Attribute.READ },
      frames: traceLimits.frames,
      bytes: traceLimits.bytes,
      connection: 1,
    });
    take(traces, 'a', frames(3));
    expect(traces.see('a').bytes).to.equal(30);
    expect(traces.filterOf(bench.gateway.nodes.get('a'))).to.deep.include({
      frames: traceLimits.frames - 3,
      bytes: traceLimits.bytes - 30,
      connection: 2,
    });
    expect(await codeOf(() => traces.begin('a', {}))).to.equal(ErrorCode.TRACE_RUNNING);
    traces.end('a');
    expect(bench.runtime.take()).to.deep.equal(['trace a on', 'trace a off']);
    take(traces, 'a', frames(1));
    expect(traces.see('a').frames, 'what comes after the end').to.have.length(3);
    expect(traces.filterOf(bench.gateway.nodes.get('a'))).to.equal(undefined);
  });

  it('take no frames of an earlier trace, nor of another plugin', async () => {
    const { frameTraces: traces } = bench.gateway;
    await traces.begin('a', {});
    traces.end('a');
    await traces.begin('a', {});
    const [first, second] = filters.map(({ id }) => id);
    traces.take(driverPlugin, { node: idOf('a'), trace: first!, frames: frames(2), full: true });
    traces.take(appPlugin, { node: idOf('a'), trace: second!, frames: frames(2), full: true });
    expect(traces.see('a').frames).to.deep.equal([]);
    expect(traces.see('a').end).to.equal(undefined);
  });

  it('end when they are full, noticed by the runner or by the gateway', async () => {
    const traces = withLimits({ frames: 5, bytes: 100 });
    await traces.begin('a', {});
    take(traces, 'a', frames(7));
    expect(traces.see('a')).to.include({ end: 'full', bytes: 50 });
    await traces.begin('b', {});
    take(traces, 'b', frames(1, 100));
    expect(traces.see('b').end).to.equal('full');
    await traces.begin('c', {});
    take(traces, 'c', frames(1), true);
    expect(traces.see('c').end).to.equal('full');
    traces.close();
  });

  it('end after their time, and when nobody looks at them', async () => {
    const traces = withLimits({ unseen: 0.15, seconds: 0.4 });
    await traces.begin('a', {});
    await traces.begin('b', {});
    const begun = performance.now();
    // The timers do not hold the process.
    while (traces.see('a').end === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(traces.see('a').end).to.equal('time');
    expect(performance.now() - begun).to.be.within(300, 5000);
    expect(traces.see('b').end).to.equal('left');
    traces.close();
  });

  it('are forgotten after a while, the oldest first where there are too many', async () => {
    const traces = withLimits({ traces: 2, kept: 0.2 });
    await traces.begin('a', {});
    await traces.begin('b', {});
    expect(await codeOf(() => traces.begin('c', {}))).to.equal(ErrorCode.BUSY);
    traces.end('a');
    await traces.begin('c', {});
    expect(await codeOf(async () => traces.see('a'))).to.equal(ErrorCode.FILE_NOT_FOUND);
    traces.end('b');
    while ((await codeOf(async () => traces.see('b'))) !== ErrorCode.FILE_NOT_FOUND)
      await new Promise((resolve) => setTimeout(resolve, 20));
    traces.close();
  });

  it('leave the one before in its place when the driver refuses', async () => {
    const { frameTraces: traces } = bench.gateway;
    await traces.begin('a', { unit: '1' });
    traces.end('a');
    const before = traces.see('a');
    bench.runtime.trace = () => Promise.reject(new Fault(ErrorCode.TRACE_UNSUPPORTED));
    expect(await codeOf(() => traces.begin('a', {}))).to.equal(ErrorCode.TRACE_UNSUPPORTED);
    expect(traces.see('a')).to.equal(before);
    expect(await codeOf(() => traces.begin('b', {}))).to.equal(ErrorCode.TRACE_UNSUPPORTED);
    expect(await codeOf(async () => traces.see('b'))).to.equal(ErrorCode.FILE_NOT_FOUND);
  });

  it('are refused for what is not there', async () => {
    const { frameTraces: traces, nodes } = bench.gateway;
    await nodes.add({ name: 'app', plugin: appPlugin.name });
    await nodes.add({ name: 'new', plugin: driverPlugin.name });
    const cases: readonly (readonly [string, object, number])[] = [
      ['absent', {}, ErrorCode.NODE_NOT_FOUND],
      ['n'.repeat(128), {}, ErrorCode.NODE_NAME_TOO_LONG],
      ['app', {}, ErrorCode.NOT_RUNNING],
      ['app', { unit: '1' }, ErrorCode.PARAM_INVALID],
      ['app', { group: 'g' }, ErrorCode.PARAM_INVALID],
      ['app', { driver: 'a', group: 'absent' }, ErrorCode.GROUP_NOT_FOUND],
      ['a', { driver: 'a', group: 'g' }, ErrorCode.PARAM_INVALID],
      ['new', {}, ErrorCode.NOT_RUNNING],
      ['a', { tag: 't' }, ErrorCode.PARAM_INVALID],
      ['a', { group: 'absent', tag: 't' }, ErrorCode.GROUP_NOT_FOUND],
      ['a', { group: 'g', tag: 'absent' }, ErrorCode.TAG_NOT_FOUND],
    ];
    for (const [name, wish, code] of cases)
      expect(await codeOf(() => traces.begin(name, wish)), name).to.equal(code);
    expect(bench.runtime.take().filter((call) => call.startsWith('trace'))).to.deep.equal([]);
  });
});
