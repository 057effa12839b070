import { aedesBroker, Gate, hasMosquitto, mosquittoBroker, Peer } from '@tagway/mqtt-client/test';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Subscription } from '@tagway/sdk';
import { freePort, until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { type MqttTestNode, sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = { ...subscription, params: { topic: 'up' } };
const mosquitto = hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)';
const cache = { host: '127.0.0.1', 'cache-mem-size': 1, 'cache-disk-size': 10, 'cache-sync-interval': 10 };

async function started(params: Record<string, unknown>): Promise<MqttTestNode> {
  const run = await startNode({ ...cache, ...params });
  run.app.subscriptionsChanged([route]);
  return run;
}

function deliver(run: MqttTestNode, from: number, to: number): void {
  for (let value = from; value < to; value++) run.deliver(sampleOf(value), route);
}

/** Delivers as the runner does, which waits when the app says so. */
async function deliverPatiently(run: MqttTestNode, from: number, to: number): Promise<void> {
  for (let value = from; value < to; value++) await run.app.deliver(sampleOf(value), route);
}

function tag0(peer: Peer): number[] {
  return peer.texts('up').map((text) => (JSON.parse(text) as { values: { tag0: number } }).values.tag0);
}

function upTo(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

async function files(run: MqttTestNode): Promise<string[]> {
  const names = await readdir(join(run.folder, 'cache')).catch(() => []);
  return names.filter((name) => name.endsWith('.spool'));
}

async function connected(run: MqttTestNode): Promise<void> {
  await until('the node is connected', () => run.link === LinkState.CONNECTED);
}

describe('the cache', () => {
  it('writes nothing while the broker confirms', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await started({ port: broker.port });
    await connected(run);
    for (const value of upTo(150)) {
      run.deliver(sampleOf(value), route);
      await sleep(10);
    }
    await until('all arrive', () => peer.received.length === 150);
    expect(await files(run)).to.deep.equal([]);
    expect(await readdir(run.folder)).to.not.include('cache');
  });

  it('outlives the run in which there was no broker', async () => {
    const port = await freePort();
    await using run = await started({ port });
    deliver(run, 0, 100);
    await run.stop();
    expect(await files(run)).to.have.length(1);
    await using _ = await aedesBroker({ port });
    await using peer = await Peer.connect(port, 'up');
    await run.restart(settingsOf({ ...cache, port }));
    await until('what waited arrives', () => peer.received.length === 100);
    expect(tag0(peer)).to.deep.equal(upTo(100));
    expect(
      new Set(peer.texts('up').map((text) => (JSON.parse(text) as { timestamp: number }).timestamp)),
    ).to.deep.equal(new Set([sampleOf(0).timestamp]));
    expect(run.count('dropped_msgs_total')).to.equal(0);
    expect(run.lines.join()).to.contain('100 messages in its cache');
    await until('the cache is empty', () => run.gauges.get('cache_disk_bytes') === 0);
  });

  it('keeps what waits when the settings change, also when they turn it off', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    const port = await freePort();
    await using run = await started({ port });
    deliver(run, 0, 50);
    await run.restart(
      settingsOf({ ...cache, port, qos: 2, 'cache-disk-size': 5, 'cache-sync-interval': 20 }),
    );
    run.app.subscriptionsChanged([route]);
    deliver(run, 50, 100);
    await run.restart(settingsOf({ host: '127.0.0.1', port: broker.port, 'offline-cache': false }));
    await until('all arrive', () => peer.received.length === 100);
    expect(tag0(peer)).to.deep.equal(upTo(100));
  });

  it('keeps the newest within its bounds, counts the others and says so once', async () => {
    const port = await freePort();
    await using run = await started({ port, 'cache-disk-size': 1 });
    await deliverPatiently(run, 0, 10_000);
    const dropped = run.count('dropped_msgs_total');
    expect(dropped).to.be.greaterThan(1000);
    expect((run.gauges.get('cached_msgs') as number) + dropped).to.equal(10_000);
    expect(run.count('send_msg_errors_total')).to.equal(dropped);
    expect(run.lines.filter((line) => line.includes('dropped'))).to.have.length(1);
    await run.stop();
    let bytes = 0;
    for (const name of await files(run)) bytes += (await stat(join(run.folder, 'cache', name))).size;
    expect(bytes).to.be.within(1_000_000 - 2 * 65_536, 1_000_000);
    await using _ = await aedesBroker({ port });
    await using peer = await Peer.connect(port, 'up');
    const lost = run.count('dropped_msgs_total');
    await run.restart(settingsOf({ ...cache, port, 'cache-disk-size': 1 }));
    await until('the oldest that was kept arrives', () => peer.received.length > 20);
    expect(tag0(peer).slice(0, 20)).to.deep.equal(upTo(20, lost));
  });

  it('is sent at its pace while live samples pass it', async () => {
    const port = await freePort();
    await using run = await started({ port });
    deliver(run, 0, 200);
    await run.stop();
    await using _ = await aedesBroker({ port });
    await using peer = await Peer.connect(port, 'up');
    await run.restart(settingsOf({ ...cache, port }));
    run.app.subscriptionsChanged([route]);
    await connected(run);
    const begun = performance.now();
    for (let value = 1000; tag0(peer).filter((each) => each < 1000).length < 200; value++) {
      expect(value, 'it comes to an end').to.be.lessThan(3000);
      run.deliver(sampleOf(value), route);
      await sleep(5);
    }
    // 200 messages, one per 10 ms.
    expect(performance.now() - begun).to.be.greaterThan(1800);
    const seen = tag0(peer);
    expect(seen.filter((each) => each < 1000)).to.deep.equal(upTo(200));
    const live = seen.filter((each) => each >= 1000);
    expect(live).to.deep.equal(upTo(live.length, 1000));
    const passed = seen.slice(0, seen.indexOf(100)).filter((each) => each >= 1000);
    expect(passed.length, 'live samples that came before the middle of the backlog').to.be.greaterThan(20);
  });

  it('lives in memory when its disk takes nothing, and says so', async () => {
    const port = await freePort();
    await using run = await started({ port });
    await run.stop();
    await writeFile(join(run.folder, 'cache'), 'no folder');
    await run.restart(settingsOf({ ...cache, port }));
    run.app.subscriptionsChanged([route]);
    await deliverPatiently(run, 0, 5000);
    await until('it says so', () => run.lines.some((line) => line.includes('has a problem')));
    expect(run.count('dropped_msgs_total') + (run.gauges.get('cached_msgs') as number)).to.equal(5000);
    expect(run.gauges.get('cached_msgs')).to.be.greaterThan(2000);
    await using _ = await aedesBroker({ port });
    await using peer = await Peer.connect(port, 'up');
    await until('the oldest that was kept arrives', () => peer.received.length > 20);
    expect(tag0(peer).slice(0, 20)).to.deep.equal(upTo(20, run.count('dropped_msgs_total')));
    expect(run.lines.filter((line) => line.includes('has a problem'))).to.have.length(1);
  });

  it('deletes a message only when the broker has confirmed it', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    let open = false;
    broker.aedes.authorizePublish = (_client, _packet, done) => {
      if (open) done(null);
    };
    await using run = await started({ port: broker.port });
    await connected(run);
    deliver(run, 0, 50);
    await until('the broker confirms nothing', () => (run.gauges.get('cached_msgs') ?? 0) > 0);
    await run.stop();
    open = true;
    await run.restart(settingsOf({ ...cache, port: broker.port }));
    await until('all arrive', () => new Set(tag0(peer)).size === 50);
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });
});

(hasMosquitto ? describe : describe.skip)(`the cache and a broker that hangs: ${mosquitto}`, () => {
  it('stores on disk what is not confirmed for a second, and deletes it when it is', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await started({ port: broker.port });
    await connected(run);
    broker.kill('SIGSTOP');
    deliver(run, 0, 100);
    await until('all is stored', async () => (await files(run)).length === 1);
    expect(run.link).to.equal(LinkState.CONNECTED);
    broker.kill('SIGCONT');
    await until('all arrive', () => peer.received.length >= 100);
    expect(tag0(peer)).to.deep.equal(upTo(100));
    await until('nothing is stored any more', async () => (await files(run)).length === 0);
  });

  it('takes messages of a broker that vanishes in the middle of a packet', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    gate.behaviour = { cutAfter: 2000 };
    await gate.open();
    await using run = await started({ port: gate.port });
    for (let attempt = 0; attempt < 50; attempt++) deliver(run, attempt * 10, attempt * 10 + 10);
    await until(
      'it vanishes twice',
      () => run.links.filter((link) => link === LinkState.DISCONNECTED).length >= 2,
    );
    gate.behaviour = {};
    await until('all arrive', () => new Set(tag0(peer)).size === 500);
    expect(run.count('send_msg_errors_total')).to.equal(0);
  });

  it('keeps the order over a slow way', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using gate = await Gate.before(broker);
    gate.behaviour = { delay: 150 };
    await gate.open();
    await using run = await started({ port: gate.port });
    await connected(run);
    deliver(run, 0, 100);
    await until('all arrive', () => peer.received.length === 100);
    expect(tag0(peer)).to.deep.equal(upTo(100));
  });
});
