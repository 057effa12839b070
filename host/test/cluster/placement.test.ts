import { expect } from 'chai';
import { allows, type Candidate, ranked, affinitiesOf } from '../../src/cluster/placement.ts';
import { Chance } from './simulator/clockwork.ts';

const gateway = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  labels: [],
  capacity: 1,
  load: 0,
  ...more,
});

const gateways = (count: number): Candidate[] =>
  Array.from({ length: count }, (_, at) => gateway(`gateway ${at + 1}`));

const firstOf = (affinity: number, candidates: readonly Candidate[]): string =>
  ranked(affinity, candidates)[0]!.name;

const affinities = Array.from({ length: 2000 }, (_, at) => at + 1);

function counted(candidates: readonly Candidate[]): Map<string, number> {
  const counts = new Map(candidates.map(({ name }) => [name, 0]));
  for (const affinity of affinities) {
    const first = firstOf(affinity, candidates);
    counts.set(first, counts.get(first)! + 1);
  }
  return counts;
}

describe('the placement of nodes', () => {
  it('is the same in whichever order the gateways are given', () => {
    const chance = new Chance(1);
    const all = gateways(7).map((one) => ({ ...one, capacity: chance.between(0.5, 4), load: chance.next() }));
    for (const affinity of affinities) {
      const order = ranked(affinity, all).map(({ name }) => name);
      const mixed = [...all].sort(() => chance.next() - 0.5);
      expect(ranked(affinity, mixed).map(({ name }) => name)).to.deep.equal(order);
    }
  });

  it('gives each of N gateways its share of 2000 nodes, within an eighth', () => {
    for (const count of [2, 3, 5, 12])
      for (const share of counted(gateways(count)).values())
        expect(share).to.be.closeTo(2000 / count, count > 5 ? 50 : 2000 / count / 8);
  });

  it('follows capacity and load', () => {
    const counts = counted([
      gateway('small'),
      gateway('large', { capacity: 3 }),
      gateway('busy', { capacity: 4, load: 0.75 }),
    ]);
    expect(counts.get('small')).to.be.closeTo(400, 60);
    expect(counts.get('large')).to.be.closeTo(1200, 100);
    expect(counts.get('busy')).to.be.closeTo(400, 60);
  });

  it('leaves a gateway that says it is full a little', () => {
    const counts = counted([gateway('free'), gateway('full', { load: 1 })]);
    expect(counts.get('full')).to.be.within(20, 200);
  });

  it('moves only what a gateway that goes had, and only to one that comes', () => {
    const five = gateways(5);
    const four = five.slice(0, 4);
    let moved = 0;
    for (const affinity of affinities) {
      const before = firstOf(affinity, five);
      const after = firstOf(affinity, four);
      if (before === 'gateway 5') moved++;
      else expect(after).to.equal(before);
      expect(ranked(affinity, five).filter(({ name }) => name !== 'gateway 5')).to.deep.equal(
        ranked(affinity, four),
      );
    }
    expect(moved).to.be.closeTo(400, 60);
  });

  it('moves little when one gateway gets busier, and nothing between the others', () => {
    const before = gateways(4);
    const after = before.map((one) => (one.name === 'gateway 1' ? { ...one, load: 0.2 } : one));
    let moved = 0;
    for (const affinity of affinities) {
      const from = firstOf(affinity, before);
      const to = firstOf(affinity, after);
      if (from === to) continue;
      moved++;
      expect(from).to.equal('gateway 1');
    }
    expect(moved).to.be.within(20, 130);
  });

  it('is allowed where the pin and all labels fit', () => {
    const hall = gateway('west', { labels: ['hall-3', 'serial'] });
    expect(allows({}, hall)).to.equal(true);
    expect(allows({ gateways: ['west', 'east'] }, hall)).to.equal(true);
    expect(allows({ gateways: [] }, hall)).to.equal(false);
    expect(allows({ gateways: ['east'], labels: ['serial'] }, hall)).to.equal(false);
    expect(allows({ labels: ['serial', 'hall-3'] }, hall)).to.equal(true);
    expect(allows({ labels: ['serial', 'hall-4'] }, hall)).to.equal(false);
  });
});

describe('nodes that are bound together', () => {
  it('are of one affinity with the lowest number, however they are bound', () => {
    const nodes = [
      { id: 9, with: [4] },
      { id: 4 },
      { id: 6, with: [9] },
      { id: 7 },
      { id: 8, with: [7, 8, 99] },
    ];
    const of = affinitiesOf(nodes);
    expect([...of]).to.have.deep.members([
      [9, 4],
      [4, 4],
      [6, 4],
      [7, 7],
      [8, 7],
    ]);
    expect(affinitiesOf([...nodes].reverse())).to.deep.equal(new Map([...of].reverse()));
  });

  it('are those that a walk along all bonds reaches', () => {
    const chance = new Chance(2);
    for (let round = 0; round < 200; round++) {
      const nodes = Array.from({ length: 1 + chance.below(12) }, (_, at) => ({
        id: at + 1,
        with: Array.from({ length: chance.below(2) }, () => 1 + chance.below(12)),
      }));
      const of = affinitiesOf(nodes);
      for (const { id } of nodes) expect(of.get(id)).to.equal(lowestReached(nodes, id));
    }
  });
});

function lowestReached(nodes: readonly { id: number; with: readonly number[] }[], from: number): number {
  const reached = new Set([from]);
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const { id, with: others } of nodes)
      for (const other of others) {
        if (!nodes.some((node) => node.id === other)) continue;
        if (reached.has(id)) reached.add(other);
        if (reached.has(other)) reached.add(id);
      }
  }
  return Math.min(...reached);
}
