import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { ClusterEtcd } from '../../src/cluster/cluster-etcd.ts';
import { MemberDriver, type MemberMachine } from '../../src/cluster/member-driver.ts';
import { type ClusterNode, type HostFacts, type Right, writer } from '../../src/cluster/member-events.ts';
import { times } from '../../src/cluster/times.ts';
import { Etcd, prefixEnd } from '../../src/pair/etcd/etcd.ts';
import { Devices } from './simulator/devices.ts';

/** Milliseconds between two requests to a device. */
const interval = 100;

/** A machine whose runners are a timer: it asks the devices of its nodes while it may. */
class Machine implements MemberMachine {
  readonly name: string;
  readonly runs = new Map<number, number>();
  readonly alarms: number[] = [];
  readonly driver: MemberDriver;
  readonly etcd: Etcd;
  #until = 0;
  #facts: HostFacts;
  readonly #timers: NodeJS.Timeout[];

  constructor(
    id: string,
    name: string,
    endpoints: readonly string[],
    nodes: readonly ClusterNode[],
    devices: Devices,
  ) {
    this.name = name;
    this.#facts = { isReady: true, isDraining: false, applied: 0, nodes };
    this.etcd = new Etcd({ endpoints });
    const describe = () => ({ labels: [name], capacity: 1, load: 0, url: '', version: '' });
    this.driver = new MemberDriver(
      name,
      new ClusterEtcd({ etcd: this.etcd, id, name, describe, refused: () => undefined }),
      this,
    );
    const poll = (): void => {
      for (const [node, fence] of this.runs)
        if (performance.now() < this.#until) devices.arrived({ node, fence, by: name }, performance.now());
    };
    this.#timers = [setInterval(poll, interval), setInterval(() => this.driver.feed({ kind: 'beat' }), 250)];
    this.driver.feed({ kind: 'host', facts: this.#facts });
  }

  says(change: Partial<HostFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.driver.feed({ kind: 'host', facts: this.#facts });
  }

  open(until: number): void {
    this.#until = until;
  }

  start(rights: readonly Right[]): void {
    for (const { right, fence } of rights) this.runs.set(right, fence);
  }

  stop(rights: readonly number[]): void {
    for (const right of rights) this.runs.delete(right);
    setImmediate(() => this.driver.feed({ kind: 'stopped', rights }));
  }

  shut(): void {
    // There is no kernel gate here.
  }

  kill(isHost: boolean): void {
    this.runs.clear();
    setImmediate(() => this.driver.feed({ kind: 'ended', isHost, areDead: true }));
  }

  alarm(right: number): void {
    this.alarms.push(right);
  }

  /** As if the machine had no power any more. */
  lose(): void {
    this.driver.end();
    this.runs.clear();
    for (const timer of this.#timers) clearInterval(timer);
    this.etcd.close();
  }
}

describe(`members of a cluster with a real etcd${etcdSkipped}`, function () {
  this.timeout(120_000);
  let cluster: EtcdCluster;
  let etcd: Etcd;
  let count = 0;
  let id = '';
  let devices: Devices;
  let machines: Machine[] = [];

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start(3);
    etcd = new Etcd({ endpoints: cluster.endpoints });
  });

  beforeEach(() => {
    id = `plant${++count}`;
    devices = new Devices(interval);
  });

  afterEach(() => {
    for (const machine of machines) machine.lose();
    machines = [];
  });

  after(async () => {
    etcd?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const nodesOf = (size: number, more: (id: number) => Partial<ClusterNode> = () => ({})): ClusterNode[] =>
    Array.from({ length: size }, (_, at) => ({
      id: at + 1,
      affinity: at + 1,
      placement: {},
      ...more(at + 1),
    }));

  function begin(names: readonly string[], nodes: readonly ClusterNode[]): Machine[] {
    machines = names.map((name) => new Machine(id, name, cluster.endpoints, nodes, devices));
    return machines;
  }

  async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = performance.now() + 60_000; !(await is()); await sleep(20))
      if (performance.now() > end) throw new Error(`It did not come about that ${what}.`);
  }

  /** The owners as etcd has them, by a client that is no member. */
  async function owners(): Promise<Map<number, string>> {
    const folder = `/tagway/${id}/`;
    const { kvs } = await etcd.range({ key: `${folder}owner/`, end: prefixEnd(`${folder}owner/`) });
    const writerKey = await etcd.get(`${folder}writer`);
    const entries = kvs.map(({ key, value }): [number, string] => [
      Number(key.toString().slice(`${folder}owner/`.length)),
      (JSON.parse(value.toString()) as { member: string }).member,
    ]);
    if (writerKey !== undefined)
      entries.push([writer, (JSON.parse(writerKey.value.toString()) as { member: string }).member]);
    return new Map(entries);
  }

  const running = (): number => machines.reduce((all, { runs }) => all + runs.size, 0);

  it('share 300 nodes and the right to write, each with one of them, as etcd has it', async () => {
    begin(['Hall 3', 'West/1', '西'], nodesOf(300));
    await until('all run', () => running() === 301);
    const found = await owners();
    expect(found.size).to.equal(301);
    for (const { name, runs } of machines) {
      for (const right of runs.keys()) expect(found.get(right)).to.equal(name);
      expect(runs.size).to.be.within(40, 180);
    }
    const each = new Set(machines.flatMap(({ runs }) => [...runs.keys()]));
    expect(each.size).to.equal(301);
    // What one sees by looks at what is new is what is there.
    await until('all see the same', () => machines.every(({ driver }) => driver.state.owners.size === 301));
    expect(devices.late).to.deep.equal([]);
  });

  it('take over what a lost one had, when its lease has ended, and it leaves them what they have when it is back', async () => {
    const nodes = nodesOf(60);
    const [lost] = begin(['a', 'b', 'c'], nodes);
    await until('all run', () => running() === 61);
    const had = lost!.runs.size;
    expect(had).to.be.above(0);
    lost!.lose();
    machines.shift();
    await until('the others have them', () => running() === 61);
    const before = await owners();
    machines.push(new Machine(id, 'a', cluster.endpoints, nodes, devices));
    await until('it is back', () => machines.at(-1)!.driver.state.members.length === 3);
    // Longer than it would wait for any node.
    await sleep(times.settle + 4 * times.rank + 2 * times.look);
    expect(await owners()).to.deep.equal(before);
    expect(devices.late).to.deep.equal([]);
  });

  it('go on through the loss of a leader of etcd, each with what it has', async () => {
    begin(['a', 'b', 'c'], nodesOf(30));
    await until('all run', () => running() === 31);
    const fences = machines.map(({ runs }) => new Map(runs));
    const lost: number[] = [];
    for (const index of [0, 1, 2]) {
      await cluster.kill(index);
      const deadlines = machines.map(({ driver }) => driver.state.deadline);
      await until('all are renewed', () =>
        machines.every(({ driver }, at) => driver.state.deadline > deadlines[at]! + 1000),
      );
      cluster.begin(index);
      await until('it is back', async () => (await etcd.members()).length === 3);
      lost.push(index);
    }
    expect(lost).to.have.lengthOf(3);
    expect(machines.map(({ runs }) => runs)).to.deep.equal(fences);
  });

  it('move a node to the gateway that is wanted, and all nodes of one that is drained', async () => {
    const [a, b] = begin(['a', 'b'], nodesOf(20));
    await until('all run', () => running() === 21);
    const right = [...a!.runs.keys()].find((one) => one !== writer)!;
    await etcd.txn({
      compare: [],
      success: [{ put: `/tagway/${id}/want/${right}`, value: JSON.stringify({ member: 'b' }) }],
    });
    await until('it has moved', () => b!.runs.has(right) && !a!.runs.has(right));
    expect(await etcd.get(`/tagway/${id}/want/${right}`)).to.equal(undefined);
    a!.says({ isDraining: true });
    await until('all have moved', () => a!.runs.size === 0 && b!.runs.size === 21);
    const longest = Math.max(...devices.pauses.map(({ from, to }) => to - from));
    expect(longest).to.be.below(5000);
    expect(devices.late).to.deep.equal([]);
  });

  it('run nodes where pins and labels allow, together where they are bound, and not while nobody may', async () => {
    const nodes = nodesOf(12, (one) => {
      if (one <= 4) return { affinity: 1 };
      if (one <= 6) return { placement: { gateways: ['b'] } };
      if (one <= 8) return { placement: { labels: ['c'] } };
      return one === 9 ? { placement: { labels: ['d'] } } : {};
    });
    const [, b, c] = begin(['a', 'b', 'c'], nodes);
    await until('all run but one', () => running() === 12);
    const together = machines.filter(({ runs }) => [1, 2, 3, 4].some((one) => runs.has(one)));
    expect(together).to.have.lengthOf(1);
    for (const one of [5, 6]) expect(b!.runs.has(one)).to.equal(true);
    for (const one of [7, 8]) expect(c!.runs.has(one)).to.equal(true);
    machines.push(new Machine(id, 'd', cluster.endpoints, nodes, devices));
    await until('the last one runs', () => machines.at(-1)!.runs.has(9));
  });

  it('stop in time when the majority is lost, and go on where they were when it is back', async () => {
    begin(['a', 'b'], nodesOf(10));
    await until('all run', () => running() === 11);
    const before = await owners();
    for (const index of [0, 1]) await cluster.kill(index);
    const cut = performance.now();
    await until('nothing runs', () => running() === 0);
    expect(performance.now() - cut).to.be.below(times.kill + 2500);
    for (const index of [0, 1]) cluster.begin(index);
    await until('all run again', () => running() === 11);
    expect(await owners()).to.deep.equal(before);
    expect(devices.late).to.deep.equal([]);
  });

  it('do not join under the name of one that is there', async () => {
    const [a] = begin(['a'], nodesOf(3));
    await until('all run', () => running() === 4);
    const namesake = new Machine(id, 'a', cluster.endpoints, nodesOf(3), devices);
    machines.push(namesake);
    await sleep(2000);
    expect(namesake.driver.state.lease).to.equal(undefined);
    a!.lose();
    machines.shift();
    await until('it has taken its place', () => namesake.runs.size === 4);
  });
});
