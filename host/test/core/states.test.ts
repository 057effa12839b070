import { ErrorCode, NodeCommand, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { Bench, codeOf } from './harness.ts';

const { INIT, READY, RUNNING, STOPPED } = RunningState;

describe('the running state of a node', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  const refuse = () => Promise.reject(new Fault(10_001, 'The port is taken.', { retry: false }));

  /** Makes the node "n" and brings it to a state in the way a client would. */
  async function bring(state: RunningState): Promise<void> {
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe' });
    if (state === INIT) return;
    const { start } = bench.runtime;
    if (state === READY) bench.runtime.start = refuse;
    await bench.gateway.nodes.setSetting('n', { port: 1 });
    bench.runtime.start = start;
    if (state === STOPPED) await bench.gateway.nodes.control('n', NodeCommand.STOP);
    expect(running()).to.equal(state);
    bench.runtime.take();
  }

  const running = (): RunningState => bench.gateway.nodes.get('n').running;
  const events = {
    'a valid setting': () => bench.gateway.nodes.setSetting('n', { port: 2 }),
    'an invalid setting': () => bench.gateway.nodes.setSetting('n', { port: 0 }),
    'the same setting': () => bench.gateway.nodes.setSetting('n', { port: 1 }),
    start: () => bench.gateway.nodes.control('n', NodeCommand.START),
    'start, which the plugin refuses,': async () => {
      bench.runtime.start = refuse;
      await bench.gateway.nodes.control('n', NodeCommand.START);
    },
    'a valid setting that the plugin refuses to start with': async () => {
      bench.runtime.start = refuse;
      await bench.gateway.nodes.setSetting('n', { port: 2 });
    },
    stop: () => bench.gateway.nodes.control('n', NodeCommand.STOP),
    'a rename to "m" and back': async () => {
      await bench.gateway.nodes.rename('n', 'm');
      await bench.gateway.nodes.rename('m', 'n');
    },
    'a restart of the gateway': async () => {
      await bench.restart();
      bench.gateway.start();
    },
    'a restart of the gateway with --safe': () => bench.restart(),
  } satisfies Record<string, () => Promise<void>>;

  const invalid = ErrorCode.NODE_SETTING_INVALID;
  const matrix: [
    from: RunningState,
    event: keyof typeof events,
    to: RunningState,
    code: number,
    calls: string[],
  ][] = [
    [INIT, 'a valid setting', RUNNING, 0, ['start n']],
    [READY, 'a valid setting', READY, 0, []],
    [RUNNING, 'a valid setting', RUNNING, 0, ['start n']],
    [STOPPED, 'a valid setting', STOPPED, 0, []],

    [INIT, 'an invalid setting', INIT, invalid, []],
    [READY, 'an invalid setting', READY, invalid, []],
    [RUNNING, 'an invalid setting', RUNNING, invalid, []],
    [STOPPED, 'an invalid setting', STOPPED, invalid, []],

    [READY, 'the same setting', READY, 0, []],
    [RUNNING, 'the same setting', RUNNING, 0, []],
    [STOPPED, 'the same setting', STOPPED, 0, []],

    [INIT, 'start', INIT, ErrorCode.NODE_NOT_READY, []],
    [READY, 'start', RUNNING, 0, ['start n']],
    [RUNNING, 'start', RUNNING, ErrorCode.NODE_IS_RUNNING, []],
    [STOPPED, 'start', RUNNING, 0, ['start n']],

    [READY, 'start, which the plugin refuses,', READY, 10_001, []],
    [STOPPED, 'start, which the plugin refuses,', STOPPED, 10_001, []],

    [INIT, 'a valid setting that the plugin refuses to start with', READY, 0, []],
    [RUNNING, 'a valid setting that the plugin refuses to start with', READY, 0, []],

    [INIT, 'stop', INIT, ErrorCode.NODE_NOT_RUNNING, []],
    [READY, 'stop', READY, ErrorCode.NODE_NOT_RUNNING, []],
    [RUNNING, 'stop', STOPPED, 0, ['stop n']],
    [STOPPED, 'stop', STOPPED, ErrorCode.NODE_IS_STOPPED, []],

    [INIT, 'a rename to "m" and back', INIT, 0, []],
    [READY, 'a rename to "m" and back', READY, 0, []],
    [RUNNING, 'a rename to "m" and back', RUNNING, 0, ['start m', 'start n']],
    [STOPPED, 'a rename to "m" and back', STOPPED, 0, []],

    [INIT, 'a restart of the gateway', INIT, 0, []],
    [READY, 'a restart of the gateway', RUNNING, 0, ['start n']],
    [RUNNING, 'a restart of the gateway', RUNNING, 0, ['start n']],
    [STOPPED, 'a restart of the gateway', STOPPED, 0, []],
    [RUNNING, 'a restart of the gateway with --safe', RUNNING, 0, []],
  ];
  const nameOf = (state: RunningState) =>
    Object.entries(RunningState).find(([, value]) => value === state)?.[0];

  for (const [from, event, to, code, calls] of matrix) {
    it(`${nameOf(from)}: ${event} leads to ${nameOf(to)}${code === 0 ? '' : ` and error ${code}`}`, async () => {
      await bring(from);
      expect(await codeOf(events[event]())).to.equal(code);
      expect(running()).to.equal(to);
      expect(bench.runtime.take()).to.deep.equal(calls);
      if (!event.startsWith('a restart')) {
        await bench.restart();
        expect(running(), 'after a restart').to.equal(to);
      }
    });
  }

  it('is READY when the plugin refuses a node that ran, and RUNNING again after a start', async () => {
    await bring(RUNNING);
    bench.runtime.events.refused(
      bench.gateway.nodes.get('n'),
      new Fault(10_002, 'License ran out.', { retry: false }),
    );
    // Changes happen in the order of the calls, so the fall-back is done when a later change is.
    await bench.gateway.nodes.add({ name: 'other', plugin: 'Probe' });
    expect(running()).to.equal(READY);
    expect(bench.errors).to.deep.equal(['The node "n" cannot run: License ran out. (error 10002)']);
    await bench.gateway.nodes.control('n', NodeCommand.START);
    expect(running()).to.equal(RUNNING);
  });

  it('stays STOPPED when a start that hangs is refused after the stop', async () => {
    await bring(STOPPED);
    const started = Promise.withResolvers<void>();
    bench.runtime.start = () => started.promise;
    const start = codeOf(bench.gateway.nodes.control('n', NodeCommand.START));
    await bench.gateway.groups.add('n', 'g', 100);
    expect(running()).to.equal(RUNNING);
    await bench.gateway.nodes.control('n', NodeCommand.STOP);
    started.reject(new Fault(10_001, 'Too late.'));
    expect(await start).to.equal(10_001);
    expect(running()).to.equal(STOPPED);
  });

  it('is what it was when the refusal comes both as an event and as the answer to the start', async () => {
    await bring(STOPPED);
    bench.runtime.start = async (node) => {
      const fault = new Fault(10_001, 'No.', { retry: false });
      bench.runtime.events.refused(node, fault);
      throw fault;
    };
    expect(await codeOf(bench.gateway.nodes.control('n', NodeCommand.START))).to.equal(10_001);
    expect(running()).to.equal(STOPPED);
  });
});
