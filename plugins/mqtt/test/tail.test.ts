import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasMosquitto, mosquittoBroker, Peer, type Received } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { freePort, listenOn, type ListeningServer, until } from '@tagway/testkit';
import { nodeIn, sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const route = { ...subscription, params: { topic: 'up' } };
const name = hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)';
const cache = {
  host: '127.0.0.1',
  'client-id': 'line1',
  'cache-sync-interval': 10,
  'cache-mem-size': 10,
  'cache-disk-size': 100,
};

interface Payload {
  readonly timestamp: number;
  readonly values: { readonly tag0: number };
}

function payloadOf({ text }: Received): Payload {
  return JSON.parse(text) as Payload;
}

/** A way to a broker that notes the client id of each CONNECT, in their order. */
async function noting(broker: {
  readonly port: number;
}): Promise<ListeningServer & { readonly names: string[] }> {
  const names: string[] = [];
  const server = net.createServer((near) => {
    const far = net.connect(broker.port, '127.0.0.1');
    // Fixed header of 2 bytes, name and level of the protocol in 7, flags, keepalive in 2, and at level 4 the client id.
    near.once('data', (bytes: Buffer) => names.push(bytes.toString('utf8', 14, 14 + bytes.readUInt16BE(12))));
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  return { ...(await listenOn(server)), names };
}

(hasMosquitto ? describe : describe.skip)(`the tail of a node on ${name}`, function () {
  this.timeout(60_000);

  /** A folder with a hundred samples that found no broker. */
  async function outage(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-tail-'));
    const run = await nodeIn(folder);
    await run.start(settingsOf({ ...cache, port: await freePort() }));
    run.app.subscriptionsChanged([route]);
    for (let value = 0; value < 100; value++) run.deliver(sampleOf(value), route);
    await run.stop();
    return folder;
  }

  it('goes under a name of its own beside the active gateway, with its own times, and ends by itself', async () => {
    await using broker = await mosquittoBroker();
    await using relay = await noting(broker);
    await using peer = await Peer.connect(broker.port, '#');
    await using active = await startNode({ ...cache, port: relay.port });
    await until('the active gateway is connected', () => active.link === LinkState.CONNECTED);
    await using tail = await nodeIn(await outage());
    await tail.tail(settingsOf({ ...cache, port: relay.port, 'will-topic': 'will', upload_drv_state: true }));
    await until('all arrive', () => peer.received.length >= 100);
    expect(peer.received.map((one) => payloadOf(one).values.tag0)).to.deep.equal([...Array(100).keys()]);
    expect(peer.received.every((one) => payloadOf(one).timestamp === sampleOf(0).timestamp)).to.equal(true);
    expect(relay.names).to.deep.equal(['line1', 'line1-tail']);
    expect(active.links.at(-1)).to.equal(LinkState.CONNECTED);
    await tail.tail(settingsOf({ ...cache, port: relay.port }));
    expect(relay.names, 'an empty cache connects nowhere').to.have.length(2);
  });

  it('and the node itself have names that both gateways of a pair make, and the later one has the session', async () => {
    await using broker = await mosquittoBroker();
    await using relay = await noting(broker);
    const params = { ...cache, 'client-id': undefined, port: relay.port };
    const folderOf = (): Promise<string> => mkdtemp(join(tmpdir(), 'tagway-tail-'));
    await using west = await nodeIn(await folderOf());
    await west.start(settingsOf(params));
    await until('the first gateway is connected', () => west.link === LinkState.CONNECTED);
    await using east = await nodeIn(await folderOf());
    await east.start(settingsOf(params));
    await until('the second gateway is connected', () => east.link === LinkState.CONNECTED);
    await until('the first gateway has lost its session', () => west.link === LinkState.DISCONNECTED);
    await using tail = await nodeIn(await outage());
    await tail.tail(settingsOf(params));
    const own = 'tagway0011223344556677';
    expect(relay.names).to.deep.equal([own, own, `${own}-tail`]);
    await sleep(1500);
    expect(relay.names, 'the first gateway does not fight back').to.have.length(3);
    expect(east.link).to.equal(LinkState.CONNECTED);
  });

  it('is marked as historical in MQTT 5', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.at(broker.port, 5, ['up']);
    const marks = (): unknown[] => peer.received.map((one) => one.marks);
    await using active = await startNode({ ...cache, port: broker.port, version: 5 });
    active.app.subscriptionsChanged([route]);
    active.deliver(sampleOf(1000), route);
    await until('what is new arrives', () => marks().length === 1);
    await using tail = await nodeIn(await outage());
    await tail.tail(settingsOf({ ...cache, port: broker.port, version: 5 }));
    await until('all arrive', () => marks().length >= 101);
    expect(marks()[0]).to.deep.equal({});
    expect(marks().slice(1)).to.deep.equal(Array(100).fill({ historical: 'true' }));
  });

  it('that is cut leaves in the cache what the broker has not confirmed', async () => {
    await using broker = await mosquittoBroker();
    await using peer = await Peer.connect(broker.port, 'up');
    await using run = await nodeIn(await outage());
    const slow = { ...cache, port: broker.port, 'cache-sync-interval': 50 };
    const tail = run.tail(settingsOf(slow));
    await until('some arrive', () => peer.received.length >= 10);
    await run.stop();
    await tail;
    expect(peer.received.length).to.be.lessThan(90);
    await run.start(settingsOf({ ...cache, port: broker.port }));
    const seen = (): Set<number> => new Set(peer.received.map((one) => payloadOf(one).values.tag0));
    await until('all arrive', () => seen().size === 100);
    expect(peer.received.length).to.be.lessThan(125);
  });

  it('has no broker to begin with, and waits for it', async () => {
    const port = await freePort();
    await using run = await nodeIn(await outage());
    const tail = run.tail(settingsOf({ ...cache, port }));
    await until('there is no broker', () => run.links.includes(LinkState.DISCONNECTED));
    await using _ = await mosquittoBroker(['allow_anonymous true'], port);
    await using peer = await Peer.connect(port, 'up');
    await tail;
    await until('all arrive', () => peer.received.length >= 100);
  });

  for (const state of ['that works', 'that hangs'] as const) {
    it(`of a gateway that is killed at a thousand samples a second, with a broker ${state}, lacks no older one than a second`, async function () {
      await using broker = await mosquittoBroker(['allow_anonymous true', 'max_queued_messages 0']);
      await using peer = await Peer.connect(broker.port, 'up');
      const folder = await mkdtemp(join(tmpdir(), 'tagway-killed-'));
      const params = { ...cache, port: broker.port, 'cache-sync-interval': 10 };
      const count = await killed(folder, params, async () => {
        await sleep(2000);
        if (state === 'that hangs') broker.kill('SIGSTOP');
        await sleep(2000);
      });
      broker.kill('SIGCONT');
      // The broker reads on what a dead client has left in its socket.
      await sleep(500);
      const before = peer.received.length;
      await using run = await nodeIn(folder);
      await run.tail(settingsOf(params));
      const sent = run.count('send_msgs_total');
      await until('the tail arrives', () => peer.received.length >= before + sent);
      const values = peer.received.map((one) => payloadOf(one).values.tag0);
      const seen = new Set(values);
      const lost = [...Array(count).keys()].filter((value) => !seen.has(value));
      // A millisecond each: nothing is lost that was older than a second when the process died.
      expect(lost.at(0) ?? count).to.be.at.least(count - 1000);
      // What the broker took and could not confirm comes twice: what was in flight.
      expect(values.length - seen.size).to.be.at.most(40);
    });
  }

  /** Runs a node until it is killed, and returns how many samples it was given by then. */
  async function killed(folder: string, params: object, meanwhile: () => Promise<void>): Promise<number> {
    const script = fileURLToPath(new URL('killed-node.ts', import.meta.url));
    const child: ChildProcess = spawn(
      process.execPath,
      [...process.execArgv, script, folder, JSON.stringify(params)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let last = '';
    child.stdout?.on('data', (text: Buffer) => (last = (last + text.toString()).slice(-20)));
    const ended = once(child, 'close');
    await until('the node runs', () => last !== '');
    await meanwhile();
    child.kill('SIGKILL');
    await ended;
    return Number(last.trim().split('\n').at(-1));
  }
});
