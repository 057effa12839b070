import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import type { ReplicationLag } from '../../src/core/ports/pair.ts';
import type { Member } from '../../src/pair/members.ts';
import { PairState } from '../../src/pair/pair-status.ts';
import type { PairView } from '../../src/pair/ports.ts';

const west: Member = { name: 'west', url: 'http://w:7000', ready: true, version: '1.0.0', applied: 100 };
const east: Member = { name: 'east', url: 'http://e:7000', ready: true, version: '1.0.1', applied: 95 };
const switched = { time: 5000, from: 'east', to: 'west', reason: 'It was asked to hand over.' };
const active: PairView = {
  reason: 'It has the lease.',
  role: 'active',
  holder: { name: 'west', url: west.url, fence: '7' },
  leaseAge: 40,
  reachable: true,
  problem: undefined,
  lastSwitch: switched,
};
const standby: PairView = {
  ...active,
  role: 'standby',
  holder: { name: 'east', url: east.url, fence: '5' },
  lastSwitch: undefined,
};

describe('the pair as the gateway "west" sees it', () => {
  let others: Member[];
  let lag: ReplicationLag | undefined;
  let done: string[];
  let lines: string[];
  let state: PairState;
  beforeEach(() => {
    [others, lag, done, lines] = [[east], { entries: 0, ms: 0 }, [], []];
    state = new PairState({
      id: 'plant1',
      members: {
        own: west,
        get others() {
          return others;
        },
      },
      lag: () => lag,
      haltDrivers: async (within) => void done.push(`halt within ${within} ms`),
      giveLease: (reason) => void done.push(`give: ${reason}`),
      log: { notice: (line) => void lines.push(line), warn: (line) => void lines.push(`! ${line}`) },
    });
  });

  const refused = async (): Promise<[code: number, message: string]> => {
    const fault = await state.handOver('Why.').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!isFault(fault)) throw new Error('It was not refused.');
    expect(done).to.deep.equal([]);
    return [fault.code, fault.message];
  };

  it('is that of a standby before anything is known, and until all nodes were started', () => {
    expect(state.status()).to.deep.include({
      id: 'plant1',
      role: 'standby',
      name: 'west',
      url: west.url,
      holder: undefined,
      leaseAge: undefined,
      reachable: false,
      handingOver: false,
      switches: 0,
      members: [west, east],
    });
    state.see(active);
    expect(state.status()).to.include({ role: 'standby', reachable: true });
    state.promoted();
    expect(state.status()).to.deep.include({ role: 'active', lastSwitch: switched });
    state.demoted('The lease ended.');
    expect(state.status().role).to.equal('standby');
  });

  it('lets the lease grow old while its agent says nothing', async () => {
    state.see(active);
    const start = performance.now();
    while (performance.now() - start < 20) await new Promise(setImmediate);
    expect(state.status().leaseAge).to.be.within(60, 1000);
  });

  it('is told once in the log, each change with its reason', () => {
    for (let i = 0; i < 3; i++) state.see(standby);
    expect(lines.splice(0)).to.deep.equal([
      'This gateway, "west", is the standby of the pair; "east" at http://e:7000 is active.',
    ]);
    const blind = { ...standby, reachable: false };
    for (const view of [blind, blind, standby, standby]) state.see(view);
    expect(lines.splice(0)).to.deep.equal([
      '! The majority of the members of etcd does not answer. This gateway cannot become the active one until they do.',
      'The majority of the members of etcd answers again.',
    ]);
    state.see({ ...blind, problem: 'http://a:2379 gave no answer in 500 ms.' });
    state.see(standby);
    expect(lines.splice(0)[0]).to.equal(
      '! The majority of the members of etcd does not answer: http://a:2379 gave no answer in 500 ms. This gateway cannot become the active one until they do.',
    );
    for (const view of [{ ...standby, holder: undefined }, active, active]) state.see(view);
    state.promoted();
    expect(lines.splice(0)).to.deep.equal([
      'This gateway, "west", is the active one of the pair now. It has the lease.',
    ]);
    expect(state.status().switches).to.equal(1);
    state.see({ ...active, reachable: false });
    state.demoted('Its lease could not be renewed.');
    expect(lines).to.deep.equal([
      '! The majority of the members of etcd does not answer. Polling stops when the lease of this gateway ends, within 3.5 seconds.',
      '! This gateway, "west", stops polling and becomes the standby of the pair. Its lease could not be renewed.',
    ]);
  });

  it('tells of the other gateway when that becomes active anew', () => {
    state.see(standby);
    lines.splice(0);
    const again = {
      ...standby,
      lastSwitch: { ...switched, from: 'east', to: 'east', reason: 'It crashed.' },
    };
    state.see({ ...again, holder: { name: 'east', url: east.url, fence: '9' } });
    expect(lines).to.deep.equal([
      '"east" at http://e:7000 is the active gateway of the pair now. It crashed.',
    ]);
  });

  it('hands over: the drivers end first, then the lease is given, and no change is taken', async () => {
    state.see(active);
    state.promoted();
    expect(await state.handOver('Why.')).to.include({ name: 'east' });
    expect(done).to.deep.equal(['halt within 800 ms', 'give: Why.']);
    expect(state.status().handingOver).to.equal(true);
    expect(lines.at(-1)).to.equal('This gateway hands the plant over to "east" at http://e:7000. Why.');
    done.splice(0);
    expect(await refused()).to.deep.equal([
      ErrorCode.COMMAND_FAILED,
      'Nothing is handed over: a hand-over is under way already.',
    ]);
  });

  it('hands nothing over to one that could not take it, and says why', async () => {
    expect((await refused())[0]).to.equal(ErrorCode.STANDBY);
    state.see(active);
    state.promoted();
    others = [];
    expect((await refused())[1]).to.include('the other gateway of the pair is not there');
    others = [{ ...east, ready: false }];
    expect((await refused())[1]).to.include('"east" at http://e:7000 is not ready yet');
    others = [{ ...east, applied: -110 }];
    expect((await refused())[1]).to.include('"east" has yet to take over 210 changes of the configuration');
    others = [east];
    state.see({ ...active, reachable: false });
    expect((await refused())[1]).to.include('the majority of the members of etcd does not answer');
  });
});
