import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { codeOf, driverPlugin, tag } from '../core/harness.ts';
import { acme } from '../library/archive.ts';
import { type GatewayOptions, GatewayOfPair } from './gateway-of-pair.ts';
import { prefixEnd } from '../../src/pair/etcd/etcd.ts';
import { PairFixture, until } from './pair-fixture.ts';

describe(`a gateway of a pair${etcdSkipped}`, function () {
  this.timeout(60_000);
  let cluster: EtcdCluster;
  let fixture: PairFixture;
  let started: GatewayOfPair[];

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start(1);
  });

  beforeEach(async () => {
    fixture = await PairFixture.open(cluster.endpoints);
    started = [];
  });

  afterEach(async () => {
    for (const one of started) await one[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });

  after(() => cluster?.[Symbol.asyncDispose]());

  async function start(name: string, options: Partial<GatewayOptions> = {}): Promise<GatewayOfPair> {
    const folder = join(fixture.folder, name);
    const where = { pair: { endpoints: cluster.endpoints, id: fixture.id } };
    const one = await GatewayOfPair.start({ ...where, name, folder, ...options });
    started.push(one);
    return one;
  }

  async function promote(one: GatewayOfPair, name: string): Promise<void> {
    await until(`${name} is ready`, () => one.isReady);
    one.link.emit('promote', await fixture.grant(name));
    await until(`${name} is active`, () => one.isActive);
  }

  it('runs nothing before it has the lease, follows what is changed, and starts all of it then', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const east = await start('east');
    await until('east is ready', () => east.isReady);
    await west.gateway.nodes.add({ name: 'd', plugin: 'Probe', params: { port: 1 } });
    await west.gateway.tags.add('d', 'g', [tag('t')]);
    await west.gateway.users.add({ manages: true }, 'evan', 'a long password');
    await until('all is there', () => east.gateway.users.list().length === 2);
    expect(east.gateway.tags.list('d', 'g').map(({ name }) => name)).to.deep.equal(['t']);
    expect(east.runtime.take().filter((call) => call.startsWith('start'))).to.deep.equal([]);
    expect(await codeOf(east.gateway.groups.add('d', 'mine', 1000))).to.equal(ErrorCode.STANDBY);
    await promote(east, 'east');
    const calls = east.runtime.take();
    expect(calls).to.include('start d');
    expect(calls.at(-1)).to.equal('warm');
    await east.gateway.groups.add('d', 'mine', 1000);
    expect(await codeOf(west.gateway.groups.add('d', 'late', 1000))).to.equal(ErrorCode.STANDBY);
    expect(east.gateway.groups.list('d').map(({ name }) => name)).to.deep.equal(['g', 'mine']);
  });

  it('gets the newest configuration back after etcd has lost it, though the gateway with an old one starts first', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const east = await start('east');
    await until('east is ready', () => east.isReady);
    await east[Symbol.asyncDispose]();
    await west.gateway.nodes.add({ name: 'later', plugin: 'Uplink', params: { port: 5 } });
    await west[Symbol.asyncDispose]();
    const all = `/tagway/${fixture.id}/`;
    await fixture.etcd.txn({ compare: [], success: [{ delete: all, end: prefixEnd(all) }] });
    const old = await start('east');
    const newer = await start('west');
    await promote(newer, 'west');
    await until('east is ready', () => old.isReady);
    expect(newer.gateway.nodes.all().map(({ name }) => name)).to.deep.equal(['later']);
    expect(old.gateway.nodes.all().map(({ name }) => name)).to.deep.equal(['later']);
    expect(old.said.join()).to.include('etcd has no configuration of the pair any more');
  });

  it('has the plugins loaded that nodes need which are to run, and no others', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const east = await start('east');
    await until('east is ready', () => east.isReady);
    await west.gateway.nodes.add({ name: 'd', plugin: 'Probe', params: { port: 1 } });
    await west.gateway.nodes.add({ name: 'idle', plugin: 'Slow' });
    await until('all is there', () => east.gateway.nodes.all().length === 2);
    expect(east.runtime.take().at(-1)).to.equal(`warm ${driverPlugin.id}`);
    await west.gateway.nodes.delete('d');
    await until('it is gone', () => east.gateway.nodes.all().length === 1);
    expect(east.runtime.take().at(-1)).to.equal('warm');
  });

  it('becomes the one that begins the pair with what it has, which the other takes over', async () => {
    const folder = join(fixture.folder, 'east');
    const other = await PairFixture.open(cluster.endpoints);
    const alone = await GatewayOfPair.start({
      pair: { endpoints: cluster.endpoints, id: other.id },
      name: 'east',
      folder,
    });
    await until('it is ready', () => alone.isReady);
    alone.link.emit('promote', await other.grant('east'));
    await until('it is active', () => alone.isActive);
    await alone.gateway.nodes.add({ name: 'mine', plugin: 'Uplink', params: { port: 5 } });
    await alone[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();

    const west = await start('west');
    await promote(west, 'west');
    expect(west.gateway.users.list().map(({ name }) => name)).to.deep.equal(['admin']);
    await west.gateway.nodes.add({ name: 'ours', plugin: 'Probe', params: { port: 1 } });
    const east = await start('east');
    await until('east is ready', () => east.isReady);
    expect(east.gateway.nodes.all().map(({ name }) => name)).to.deep.equal(['ours']);
    expect(await east.snapshots()).to.have.length(1);
    const [kept] = await east.snapshots();
    const past = await east.gateway.snapshots.look(kept?.id ?? '');
    expect(past.nodes.map(({ name }) => name)).to.deep.equal(['mine']);
  });

  it('hands over to the other once that is there and ready, its own drivers halted before', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const holder = { name: 'west', url: 'http://west:7000', fence: '1' };
    const view = { role: 'active', reason: '', leaseAge: 1, reachable: true, lastSwitch: undefined };
    west.link.emit('view', { ...view, holder });
    const { pair } = west.side;
    expect(pair.status()).to.include({ id: fixture.id, role: 'active', handingOver: false });
    expect(await codeOf(pair.handOver('Why.'))).to.equal(ErrorCode.COMMAND_FAILED);
    await start('east');
    await until('east is there', () =>
      pair.status().members.some(({ name, ready }) => name === 'east' && ready),
    );
    west.runtime.take();
    expect(await pair.handOver('Why.')).to.include({ name: 'east', url: 'http://east:7000' });
    expect(west.runtime.take()).to.deep.equal(['halt drivers within 800 ms']);
    expect(west.link.said.at(-1)).to.equal('hand-over Why.');
    expect(pair.status().handingOver).to.equal(true);
  });

  it('follows with --safe, and never asks for the lease', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const east = await start('east', { isSafe: true });
    await west.gateway.nodes.add({ name: 'd', plugin: 'Probe' });
    await until('it has followed', () => east.gateway.nodes.all().length === 1);
    expect(east.isReady).to.equal(false);
  });

  it('never asks for the lease with another key of secrets', async () => {
    const west = await start('west');
    await promote(west, 'west');
    const east = await start('east', { secretsKey: Buffer.alloc(32, 8) });
    await until('it says so', () => east.said.some((text) => text.includes('--secrets-key')));
    expect(east.isReady).to.equal(false);
  });

  describe('with libraries that users add', () => {
    const versions = (one: GatewayOfPair): unknown => one.catalog.byId('acme')?.version;

    it('has them before the nodes that need them: new, upgraded, taken back and removed', async () => {
      const west = await start('west');
      await promote(west, 'west');
      const east = await start('east');
      await until('east is ready', () => east.isReady);
      await west.gateway.installs.install({ library: 'acme.tgz', content: await acme('1.0.0') });
      await west.gateway.nodes.add({ name: 'd', plugin: 'Acme', params: { port: 1 } });
      await until('the node is there', () => east.gateway.nodes.all().length === 1);
      expect(east.gateway.nodes.get('d').plugin).to.include({ version: '1.0.0' });
      expect(east.gateway.nodes.get('d').plugin.absent).to.equal(undefined);

      await west.gateway.installs.install({ library: 'acme.tgz', content: await acme('2.0.0') });
      await until('the upgrade is there', () => versions(east) === '2.0.0');
      expect(east.gateway.nodes.get('d').plugin).to.equal(east.catalog.byId('acme'));

      // A version with which the node does not run: the one before is in its place again.
      west.runtime.trial = () => Promise.reject(new Error('It does not start.'));
      let refused = false;
      await west.gateway.installs
        .install({ library: 'acme.tgz', content: await acme('3.0.0') })
        .catch(() => (refused = true));
      expect([refused, versions(west)]).to.deep.equal([true, '2.0.0']);
      await west.gateway.nodes.delete('d');
      await until('that is followed', () => east.gateway.nodes.all().length === 0);
      expect(versions(east)).to.equal('2.0.0');

      await west.gateway.installs.remove('Acme');
      await until('it is gone', () => versions(east) === undefined);
      // Its folder goes once nothing uses it any more.
      const folder = join(fixture.folder, 'east', 'libraries');
      await until('its folder is gone', async () => (await readdir(folder)).length === 0);
      expect(east.said).to.satisfy((texts: string[]) => texts.every((text) => !text.includes('could not')));
    });

    it('has those of before the pair, and those of before its own start', async () => {
      const west = await start('west');
      await promote(west, 'west');
      await west.gateway.installs.install({ library: 'acme.tgz', content: await acme('1.0.0') });
      const plugin = west.catalog.byId('acme');
      await west[Symbol.asyncDispose]();
      // The same folder in a new pair.
      const other = await PairFixture.open(cluster.endpoints);
      const options = { pair: { endpoints: cluster.endpoints, id: other.id } };
      const folder = join(fixture.folder, 'west');
      const store = await import('../../src/store/store.ts');
      const database = store.openSqliteStore(join(folder, 'tagway.sqlite'));
      await database.commit({ delete: ['pair/applied', 'library/acme'] });
      await database.close();
      if (plugin === undefined) throw new Error('It is installed.');
      const again = await GatewayOfPair.start({ ...options, name: 'west', folder }, [driverPlugin, plugin]);
      started.push(again);
      await until('it is ready', () => again.isReady);
      again.link.emit('promote', await other.grant('west'));
      await until('it is active', () => again.isActive);
      const east = await GatewayOfPair.start({
        ...options,
        name: 'east',
        folder: join(fixture.folder, 'east'),
      });
      started.push(east);
      await until('east is ready', () => east.isReady);
      expect(versions(east)).to.equal('1.0.0');
      await other[Symbol.asyncDispose]();
    });

    it('are not installed where their signature is not good, and the gateway says so', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const trusted = join(fixture.folder, 'east', 'trusted');
      await mkdir(trusted, { recursive: true });
      await writeFile(join(trusted, 'a.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
      const west = await start('west');
      await promote(west, 'west');
      const east = await start('east', { isSigned: true });
      await until('east is ready', () => east.isReady);
      const content = await acme('1.0.0');
      await west.gateway.installs.install({ library: 'acme.tgz', content });
      await until('it says so', () => east.said.some((text) => text.includes('could not be installed here')));
      expect(versions(east)).to.equal(undefined);
      const signed = await acme('1.1.0');
      const signature = sign(null, signed, privateKey).toString('base64');
      await west.gateway.installs.install({ library: 'acme.tgz', content: signed, signature });
      await until('the signed one is there', () => versions(east) === '1.1.0');
    });
  });
});
