import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { Etcd, prefixEnd, Refused } from '../../src/pair/etcd/etcd.ts';
import { EtcdEndpoint } from '../../src/pair/etcd/etcd-endpoint.ts';
import { Unreachable } from '../../src/pair/ports.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Something at a port that is no etcd. */
async function impostor(connected: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    connected(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe(`etcd over its JSON gateway${etcdSkipped}`, function () {
  this.timeout(30_000);
  let cluster: EtcdCluster;
  let etcd: Etcd;
  const servers: Server[] = [];

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start(3);
    etcd = new Etcd({ endpoints: cluster.endpoints });
  });

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  after(async () => {
    etcd?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  it('puts, reads and deletes bytes as they are', async () => {
    const value = Buffer.from([0, 255, 128, 10]);
    await etcd.txn({ compare: [], success: [{ put: Buffer.from([1, 0, 254]), value }] });
    const found = await etcd.get(Buffer.from([1, 0, 254]));
    expect(found?.value).to.deep.equal(value);
    expect(found?.lease).to.equal('0');
    await etcd.txn({ compare: [], success: [{ delete: Buffer.from([1, 0, 254]) }] });
    expect(await etcd.get(Buffer.from([1, 0, 254]))).to.equal(undefined);
  });

  it('does one side of a transaction or the other, and says which', async () => {
    const create = {
      compare: [{ key: 'once', createRevision: '0' }],
      success: [{ put: 'once', value: 'a' }],
    };
    const first = await etcd.txn(create);
    const second = await etcd.txn({
      ...create,
      failure: [{ delete: 'nothing' }, { range: { key: 'once' } }],
    });
    expect([first.succeeded, second.succeeded]).to.deep.equal([true, false]);
    expect(second.ranges[0]).to.equal(undefined);
    const [found] = second.ranges[1]?.kvs ?? [];
    expect(found?.value.toString()).to.equal('a');
    expect(found?.createRevision).to.equal(first.revision);
    const { succeeded } = await etcd.txn({
      compare: [
        { key: 'once', createRevision: first.revision },
        { key: 'once', value: 'a' },
      ],
      success: [{ put: 'once', value: 'b' }],
    });
    expect(succeeded).to.equal(true);
  });

  it('reads a range in pieces, keys alone, and as it was', async () => {
    const keys = ['list/1', 'list/2', 'list/3'];
    const { revision } = await etcd.txn({
      compare: [],
      success: keys.map((put) => ({ put, value: `of ${put}` })),
    });
    await etcd.txn({ compare: [], success: [{ delete: 'list/', end: prefixEnd('list/') }] });
    const whole = { key: 'list/', end: prefixEnd('list/') };
    expect((await etcd.range(whole)).kvs).to.deep.equal([]);
    const past = await etcd.range({ ...whole, revision, limit: 2 });
    expect(past.kvs.map(({ key }) => key.toString())).to.deep.equal(keys.slice(0, 2));
    const { kvs } = await etcd.range({ ...whole, revision, limit: 1, keysOnly: true });
    expect(kvs.map(({ key, value }) => [key.toString(), value.length])).to.deep.equal([['list/1', 0]]);
  });

  it('forgets history and refuses it from then on', async () => {
    const { revision } = await etcd.txn({ compare: [], success: [{ put: 'history', value: '1' }] });
    const later = await etcd.txn({ compare: [], success: [{ put: 'history', value: '2' }] });
    await etcd.compact(later.revision);
    const error = await caught(etcd.range({ key: 'history', revision }));
    expect(error).to.be.instanceOf(Refused);
    expect((error as Refused).code).to.equal('OUT_OF_RANGE');
  });

  it('ends the keys of a lease with it, and says of a lease that has ended that it has', async () => {
    const lease = await etcd.grant(5);
    await etcd.txn({ compare: [], success: [{ put: 'leased', value: '', lease }] });
    expect(await etcd.keepAlive(lease)).to.equal(true);
    expect((await etcd.get('leased'))?.lease).to.equal(lease);
    await etcd.revoke(lease);
    await etcd.revoke(lease);
    expect(await etcd.get('leased')).to.equal(undefined);
    expect(await etcd.keepAlive(lease)).to.equal(false);
    const put = etcd.txn({ compare: [], success: [{ put: 'leased', value: '', lease }] });
    expect(await caught(put)).to.be.instanceOf(Refused);
  });

  it('has its answer at once while a member hangs, and when one is gone', async () => {
    const hanging = (await cluster.leader()) === 0 ? 1 : 0;
    const lease = await etcd.grant(60);
    cluster.stop(hanging);
    try {
      const begun = performance.now();
      for (let round = 0; round < 20; round++) {
        expect(await etcd.keepAlive(lease)).to.equal(true);
        await etcd.range({ key: 'any' });
      }
      expect(performance.now() - begun).to.be.below(450);
    } finally {
      cluster.continue(hanging);
    }
    await cluster.kill(hanging);
    expect((await etcd.txn({ compare: [], success: [{ put: 'any', value: '' }] })).succeeded).to.equal(true);
    expect(await etcd.keepAlive(lease)).to.equal(true);
    cluster.begin(hanging);
  });

  it('goes on to the next member when a transaction cannot have reached the first', async () => {
    const { server, url } = await impostor(() => undefined);
    server.close();
    const other = new Etcd({ endpoints: [url, ...cluster.endpoints] });
    expect((await other.txn({ compare: [], success: [{ put: 'next', value: '' }] })).succeeded).to.equal(
      true,
    );
    other.close();
  });

  it('does not repeat a transaction that a member may have done, and asks another one the next time', async () => {
    const { server, url } = await impostor((socket) => socket.once('data', () => socket.destroy()));
    servers.push(server);
    const other = new Etcd({ endpoints: [url, ...cluster.endpoints] });
    const put = { compare: [], success: [{ put: 'unrepeated', value: '' }] };
    expect(await caught(other.txn(put))).to.be.instanceOf(Unreachable);
    expect(await etcd.get('unrepeated')).to.equal(undefined);
    expect((await other.txn(put)).succeeded).to.equal(true);
    other.close();
  });

  it('gives up in time on members that hang, that talk without end, and that are no etcd', async () => {
    const hang = await impostor(() => undefined);
    const endless = await impostor((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = setInterval(() => socket.write('5\r\n     \r\n'), 20);
      socket.on('close', () => clearInterval(more));
    });
    const page = await impostor((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>'));
    });
    servers.push(hang.server, endless.server, page.server);
    const other = new Etcd({ endpoints: [hang.url, endless.url, page.url], timeout: 300 });
    const begun = performance.now();
    const error = await caught(other.range({ key: 'any' }));
    expect(performance.now() - begun).to.be.within(250, 1000);
    expect(error).to.be.instanceOf(Unreachable);
    expect((error as Error).message)
      .to.include('gave no answer in 300 ms')
      .and.include('without JSON');
    other.close();
  });

  it('has no answer once the majority is gone', async () => {
    const few = await EtcdCluster.start(1);
    const other = new Etcd({ endpoints: few.endpoints });
    await few.kill(0);
    expect(await caught(other.range({ key: 'any' }))).to.be.instanceOf(Unreachable);
    expect(await caught(other.keepAlive('1'))).to.be.instanceOf(Unreachable);
    other.close();
    await few[Symbol.asyncDispose]();
  });
});

const tlsMissing = hasOpenssl
  ? etcdSkipped
  : ' (skipped: openssl, which makes the certificates, is not installed)';

describe(`etcd that asks for certificates${tlsMissing}`, function () {
  this.timeout(30_000);
  let folder: string;
  let cluster: EtcdCluster;

  before(async function () {
    if (!hasEtcd || !hasOpenssl) return this.skip();
    folder = await mkdtemp(join(tmpdir(), 'tagway-etcd-tls-'));
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    const subject = ['-subj', '/CN=etcd', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, '-days', '2', ...subject], {
      stdio: 'ignore',
    });
    cluster = await EtcdCluster.start(1, { cert, key, authority: cert });
  });

  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('answers who has one, and whom it can prove itself to', async () => {
    const cert = await readFile(join(folder, 'cert.pem'), 'utf8');
    const key = await readFile(join(folder, 'key.pem'), 'utf8');
    const { endpoints } = cluster;
    const good = new Etcd({ endpoints, tls: { ca: cert, cert, key }, timeout: 5000 });
    expect(await good.get('any')).to.equal(undefined);
    const anonymous = new Etcd({ endpoints, tls: { ca: cert }, timeout: 5000 });
    const doubting = new Etcd({ endpoints, tls: { cert, key }, timeout: 5000 });
    for (const bad of [anonymous, doubting])
      expect(await caught(bad.get('any'))).to.be.instanceOf(Unreachable);
    for (const one of [good, anonymous, doubting]) one.close();
  });

  it('is asked with new certificates once they were renewed, on the same object', async () => {
    const cert = await readFile(join(folder, 'cert.pem'), 'utf8');
    const key = await readFile(join(folder, 'key.pem'), 'utf8');
    const endpoint = new EtcdEndpoint(cluster.endpoints[0]!, 5000, { ca: cert });
    expect(await caught(endpoint.ask('/v3/maintenance/status', '{}'))).to.be.instanceOf(Error);
    endpoint.secure({ ca: cert, cert, key });
    expect((await endpoint.ask('/v3/maintenance/status', '{}')).version).to.match(/^\d+\.\d+/);
    endpoint.close();
  });
});
