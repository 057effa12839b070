import { expect } from 'chai';
import { join } from 'node:path';
import { Child } from '../kit/child.ts';
import { sleep, until } from '../kit/until.ts';
import { judge } from './judge.ts';
import { Members } from './members.ts';
import { Network, places } from './network.ts';
import { noPair } from './pair.ts';
import type { Side } from './pair-gateway.ts';
import { now, Referee } from './referee.ts';

const skipped = noPair === undefined ? '' : ` (skipped: ${noPair})`;

(noPair === undefined ? describe : describe.skip)(`the kit for pairs of gateways${skipped}`, function () {
  this.timeout(60_000);
  const stack = new AsyncDisposableStack();
  let network: Network;
  let referee: Referee;
  const pollers: Child[] = [];

  before(async () => {
    network = stack.adopt(Network.open(), (it) => it.close());
    referee = stack.adopt(await Referee.start(network), (it) => it.stop());
  });
  // What one test leaves behind is not to fail the next one.
  afterEach(async () => {
    for (const place of places) network.heal(place);
    await Promise.all(pollers.splice(0).map((poller) => poller.stop('SIGKILL')));
  });
  after(() => stack.disposeAsync());

  /** A client on one of the machines that polls the device. */
  async function poll(side: Side): Promise<Child> {
    const [command, ...args] = network.on(side);
    const script = join(import.meta.dirname, 'poller-process.ts');
    const device = [network.address('field'), String(referee.port)];
    const poller = await Child.start(command, [...args, process.execPath, script, ...device], {
      ready: /polling/,
    });
    pollers.push(poller);
    return poller;
  }

  it('tells the gap between two clients by the log of the device', async () => {
    const begin = now();
    const west = await poll('west');
    await sleep(500);
    await west.stop('SIGKILL');
    const gap = 400;
    await sleep(gap);
    const east = await poll('east');
    await until('the other one polls', () => referee.hears('east', begin));
    await east.stop('SIGKILL');
    const verdict = judge(await referee.since(begin), begin, now());
    expect(verdict).to.include({ switches: 1, overlapping: 0 });
    expect(verdict.gap).to.be.greaterThan(gap - 60);
  });

  it('finds what a client sends that was stopped while another one took its place', async () => {
    const begin = now();
    const west = await poll('west');
    await until('the first one polls', () => referee.hears('west', begin));
    west.signal('SIGSTOP');
    const east = await poll('east');
    await until('the second one polls', () => referee.hears('east', begin));
    const again = now();
    west.signal('SIGCONT');
    await until('the first one polls again', () => referee.hears('west', again));
    await west.stop('SIGKILL');
    await sleep(200);
    await east.stop('SIGKILL');
    expect(judge(await referee.since(begin), begin, now()).overlapping).to.be.greaterThan(0);
  });

  it('cuts machines off from each other, in both directions or in one, and pulls plugs', async () => {
    await poll('west');
    const isHeard = async (): Promise<boolean> => {
      // What was sent again after a cut is over arrives in a bunch.
      await sleep(300);
      const from = now();
      await sleep(300);
      return referee.hears('west', from);
    };
    const cuts = [
      () => network.cut('west', ['field']),
      () => network.cut('west', ['field'], 'out'),
      () => network.cut('field', ['west'], 'in'),
      () => network.cutPorts('west', [referee.port]),
      () => network.link('west', false),
    ];
    for (const cut of cuts) {
      await until('it is heard', isHeard);
      cut();
      expect(await isHeard()).to.equal(false);
      network.heal('west');
      network.heal('field');
    }
    await until('it is heard', isHeard);
    network.cut('west', ['east', 'witness']);
    expect(await isHeard()).to.equal(true);
  });

  it('has a cluster of etcd that goes on without one of its members', async () => {
    await using members = await Members.start(network);
    await members.whole();
    const leader = await members.leader();
    await members.kill(leader);
    const next = await until('another one leads', () => members.leader());
    expect(next).not.to.equal(leader);
    members.begin(leader);
    await members.whole();
  });
});
