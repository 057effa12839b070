import { Certificates, hasMosquitto, mosquittoBroker, type Mosquitto, Peer } from '@tagway/mqtt-client/test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinkState } from '@tagway/sdk';
import type { ConnectionStep } from '@tagway/sdk';
import { freePort, hasOpenssl, until } from '@tagway/testkit';
import { expect } from 'chai';
import plugin from '../src/index.ts';
import { settingsOf, startNode } from './nodes.ts';

/** The steps that a test of these settings takes, and why the last one failed. */
async function tried(
  params: Record<string, unknown>,
  signal = AbortSignal.timeout(10_000),
): Promise<{ readonly steps: ConnectionStep[]; readonly failure: string }> {
  const steps: ConnectionStep[] = [];
  let failure = '';
  try {
    const settings = settingsOf({ host: '127.0.0.1', ...params });
    await plugin.tryConnection!({
      node: 'uplink',
      settings: settings as never,
      signal,
      step: (step) => steps.push(step),
    });
  } catch (error) {
    failure = (error as Error).message;
  }
  return { steps, failure };
}

const title = `the connection test with mosquitto${hasMosquitto ? '' : ' (skipped: mosquitto is not installed)'}`;
(hasMosquitto ? describe : describe.skip)(title, () => {
  let broker: Mosquitto;
  let folder: string;
  const login = { username: 'plant', password: 'right' };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagway-acl-'));
    const passwords = join(folder, 'passwords');
    const rights = join(folder, 'rights');
    writeFileSync(passwords, 'plant:right\n');
    spawnSync('mosquitto_passwd', ['-U', passwords]);
    writeFileSync(
      rights,
      'user plant\ntopic write /neuron/uplink/#\ntopic read /neuron/uplink/#\ntopic read watch\n',
    );
    broker = await mosquittoBroker([
      'allow_anonymous false',
      `password_file ${passwords}`,
      `acl_file ${rights}`,
    ]);
  });
  after(async () => {
    await broker?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes all the way', async () => {
    const { port } = broker;
    for (const version of [4, 5])
      expect(await tried({ port, version, ...login })).to.deep.equal({
        steps: ['connect', 'login', 'rights'],
        failure: '',
      });
    expect(await tried({ port, host: 'localhost', enable_topic: false, ...login })).to.deep.equal({
      steps: ['resolve', 'connect', 'login'],
      failure: '',
    });
  });

  it('says at which step it fails, and why', async () => {
    const nowhere = await tried({ port: await freePort() });
    expect(nowhere.steps).to.deep.equal(['connect']);
    expect(nowhere.failure).to.match(/ECONNREFUSED/);
    const stranger = await tried({ port: broker.port, username: 'plant', password: 'wrong' });
    expect(stranger.steps).to.deep.equal(['connect', 'login']);
    expect(stranger.failure).to.match(
      /: Connection refused: Not authorized\. Check the settings "username" and "password"\. The test connects as "tagway-test-/,
    );
    const unknown = await tried({ port: 1883, host: 'no-such-host.invalid' });
    expect(unknown.steps).to.deep.equal(['resolve']);
  });

  it('finds that the login may not publish where the broker says so, with MQTT 5 and QoS 1', async () => {
    const params = {
      port: broker.port,
      qos: 1,
      'upload-topic': 'secret/{driver}',
      expand_topics: true,
      ...login,
    };
    const refused = await tried({ ...params, version: 5 });
    expect(refused.steps).to.deep.equal(['connect', 'login', 'rights']);
    expect(refused.failure).to.equal(
      'The broker refuses a message to the topic secret/connection test: Publish error: Not authorized.',
    );
    for (const silent of [{ version: 4 }, { version: 5, qos: 0 }])
      expect((await tried({ ...params, ...silent })).failure).to.equal('');
    expect((await tried({ ...params, version: 5, 'upload-topic': '' })).failure).to.equal('');
  });

  it('leaves nothing, and the session of a node with the same settings alone', async () => {
    await using open = await mosquittoBroker();
    const params = { host: '127.0.0.1', port: open.port, version: 5, qos: 1, 'client-id': 'plant-7' };
    await using run = await startNode(params);
    await until('the node is connected', () => run.link === LinkState.CONNECTED);
    await using early = await Peer.connect(open.port, '#');
    const count = run.links.length;
    expect((await tried(params)).failure).to.equal('');
    const content = await early.first('/neuron/uplink/connection test/test');
    expect(JSON.parse(content)).to.include({ node: 'connection test', group: 'test' });
    expect(run.links.length, 'the state of the link has not changed').to.equal(count);
    await using late = await Peer.connect(open.port, '#');
    await late.client.publishAsync('end', 'x', { qos: 1 });
    await late.first('end');
    expect(late.received.map(({ topic }) => topic)).to.deep.equal(['end']);
  });

  it('ends at its deadline where a server says nothing', async () => {
    const mute = net.createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const sockets: net.Socket[] = [];
    mute.on('connection', (socket) => sockets.push(socket));
    const { port } = mute.address() as net.AddressInfo;
    const { steps, failure } = await tried({ port }, AbortSignal.timeout(300));
    expect(steps).to.deep.equal(['connect', 'login']);
    expect(failure).to.not.equal('');
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  (hasOpenssl ? it : it.skip)(
    `tries TLS, and of a service no more than that${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`,
    async () => {
      using certificates = Certificates.make();
      await using secure = await mosquittoBroker([
        `cafile ${certificates.path('ca')}`,
        `certfile ${certificates.path('broker')}`,
        `keyfile ${certificates.path('broker-key')}`,
        'allow_anonymous true',
      ]);
      const { port } = secure;
      const ca = certificates.base64('ca');
      expect((await tried({ port, ssl: true, ca })).steps).to.deep.equal([
        'connect',
        'handshake',
        'login',
        'rights',
      ]);
      const other = await tried({ port, ssl: true, ca: certificates.base64('other') });
      expect(other.steps).to.deep.equal(['connect', 'handshake']);
      expect(other.failure).to.match(/does not come from the authority in "ca"/);
      const azure = {
        service: 1,
        'connection-string': 'HostName=127.0.0.1;DeviceId=d;SharedAccessKey=a2V5',
        qos: 1,
        retain: false,
        enable_topic: false,
      };
      expect(await tried({ port, ssl: true, ca, ...azure })).to.deep.equal({
        steps: ['connect', 'handshake'],
        failure: '',
      });
    },
  );
});
