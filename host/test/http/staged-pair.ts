import type { Fault } from '@tagway/sdk';
import type { Pair, PairMember, PairStatus } from '../../src/core/ports/pair.ts';

export const west = { name: 'west', url: 'http://10.0.0.1:7000', ready: true, version: '1.2.3' };
export const east = { name: 'east', url: 'http://10.0.0.2:7000', ready: true, version: '1.2.3' };

export const standby: PairStatus = {
  id: 'plant1',
  role: 'standby',
  name: 'west',
  url: west.url,
  holder: east,
  leaseAge: 212.4,
  lag: { entries: 3, ms: 140.2 },
  reachable: true,
  problem: undefined,
  handingOver: false,
  switches: 2,
  members: [west, east],
  lastSwitch: { time: 1_790_000_000_000, from: 'west', to: 'east', reason: 'It was asked to hand over.' },
};
export const active: PairStatus = { ...standby, role: 'active', holder: west, lag: { entries: 0, ms: 0 } };

/** The pair as a test says that it is. */
export class StagedPair implements Pair {
  now: PairStatus = active;
  reasons: string[] = [];
  refusal: Fault | undefined;

  status(): PairStatus {
    return this.now;
  }

  async handOver(reason: string): Promise<PairMember> {
    if (this.refusal !== undefined) throw this.refusal;
    this.reasons.push(reason);
    return east;
  }
}
