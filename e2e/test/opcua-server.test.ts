import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Attribute,
  type HistoryReply,
  type NodeCertificatesReply,
  type NodeClientsReply,
} from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { OpcUaClient } from '../world/opcua-client.ts';

interface AuditReply {
  readonly entries: readonly {
    readonly user: string;
    readonly text: string;
    readonly from?: string;
    readonly error: number;
  }[];
}

describe('an OPC UA server of a gateway', function () {
  this.timeout(120_000);
  let device: Device;
  let gateway: Gateway;
  let port: number;

  before(async () => {
    device = await Device.start();
    gateway = await Gateway.start();
    port = await freePort();
  });
  after(async () => {
    await gateway?.dispose();
    await device?.stop();
  });

  it('serves users of the gateway once an admin allows the plugin to check logins, also after a restart', async () => {
    const client = await gateway.client();
    await client.ok('POST', '/users', { name: 'otto', password: 'operates', role: 'operator' });
    await client.ok('POST', '/users', { name: 'vera', password: 'views', role: 'viewer' });
    const tags = registerTags(3, Attribute.READ | Attribute.WRITE);
    await addModbus(client, 'boiler', { port: device.port, group: 'fast', tags });
    await client.ok('POST', '/node', { name: 'opc', plugin: 'OPC UA Server' });
    await client.ok('POST', '/node/setting', { node: 'opc', params: { host: '127.0.0.1', port, trust: 1 } });
    await client.ok('POST', '/subscribe', { app: 'opc', driver: 'boiler', group: 'fast' });
    await connected(client, 'opc');
    await device.setRegisters(0, [11, 12, 13]);

    expect(await refusal('otto', 'operates')).to.match(/BadUserAccessDenied/);
    expect(await gateway.log()).to.include('The plugin "OPC UA Server" may not have logins checked.');
    const asked = await client.ok<{ plugins: { logins?: boolean }[] }>('GET', '/plugin', {
      plugin: 'OPC UA Server',
    });
    expect(asked.plugins[0]?.logins).to.equal(false);
    await client.ok('PUT', '/plugin/permission', { plugin: 'OPC UA Server', logins: true });

    await serves('before the restart');
    const certificate = ownCertificate();
    await gateway.stop();
    await gateway.start();
    await connected(await gateway.client(), 'opc');
    await serves('after the restart');
    expect(ownCertificate(), 'the certificate stays').to.deep.equal(certificate);

    const { entries } = await (await gateway.client()).ok<AuditReply>('GET', '/audit', { page_size: '100' });
    const said = entries.map(({ user, text, error }) => `${user}|${text}|${error}`);
    expect(said).to.include('otto|logged in as "otto" through the node "opc"|0');
    expect(said).to.include('|logged in as "otto" through the node "opc"|1009');
    expect(said).to.include('otto|wrote to the node "boiler" through "opc": "tag1" = 77|0');
    expect(said.filter((one) => one.startsWith('vera|wrote'))).to.deep.equal([]);
    const addresses = entries.filter(({ text }) => text.startsWith('wrote')).map(({ from }) => from);
    expect(addresses).to.deep.equal(['127.0.0.1', '127.0.0.1']);
  });

  it('ends what a user may write when the role is taken away', async () => {
    const client = await gateway.client();
    await using otto = await OpcUaClient.login(port, 'otto', 'operates');
    expect(await otto.write('boiler/fast/tag2', 5)).to.equal('Good');
    await client.ok('PUT', '/users', { name: 'otto', role: 'viewer' });
    expect(await otto.write('boiler/fast/tag2', 6)).to.equal('BadUserAccessDenied');
    expect((await device.registers(2, 1))[0]).to.equal(5);
    await client.ok('PUT', '/users', { name: 'otto', role: 'operator' });
  });

  it('makes guessing slow for the one who guesses, and for nobody else', async () => {
    const from = performance.now();
    for (let attempt = 0; attempt < 10; attempt++)
      expect(await refusal('otto', `guess ${attempt}`)).to.match(/Bad/);
    // Five are free; the others wait 0.25, 0.5, 1, 2 and 2 seconds.
    expect(performance.now() - from).to.be.greaterThan(5000);
    await using vera = await OpcUaClient.login(port, 'vera', 'views');
    expect((await vera.read('boiler/fast/tag0')).statusCode.name).to.equal('Good');
  });

  it('shows who is connected, and lets an admin alone decide whom it trusts, also after a restart', async () => {
    const client = await gateway.client();
    const folder = mkdtempSync(join(tmpdir(), 'tagway-opcua-kept-'));
    const strict = await freePort();
    const params = { host: '127.0.0.1', port: strict, namespace: 'urn:tagway:tags' };
    await client.ok('POST', '/node', { name: 'strict', plugin: 'OPC UA Server', params });
    await client.ok('POST', '/subscribe', { app: 'strict', driver: 'boiler', group: 'fast' });
    await connected(client, 'strict');
    const login = (): Promise<OpcUaClient> =>
      OpcUaClient.login(strict, 'otto', 'operates', '127.0.0.1', folder);
    const isServed = async (): Promise<boolean> => {
      try {
        await using _session = await login();
        return true;
      } catch {
        return false;
      }
    };
    const certificates = async (): Promise<NodeCertificatesReply['certificates']> =>
      (await client.ok<NodeCertificatesReply>('GET', '/node/certificates', { node: 'strict' })).certificates;
    const clients = async (): Promise<NodeClientsReply['clients']> =>
      (await client.ok<NodeClientsReply>('GET', '/node/clients', { node: 'strict' })).clients;
    try {
      expect(await isServed()).to.equal(false);
      const refused = (await certificates()).find(({ state }) => state === 'rejected');
      expect(refused).to.include({ of: 'client', authority: false });
      const { id = '' } = refused ?? {};
      const move = { node: 'strict', id, to: 'trusted' };
      const otto = await gateway.anonymous().login('otto', 'operates');
      expect((await otto.call('PUT', '/node/certificate', move)).status, 'an operator').to.equal(403);
      expect((await certificates()).map(({ state }) => state)).to.deep.equal(['own', 'rejected']);
      await client.ok('PUT', '/node/certificate', move);
      expect(await isServed(), 'trusted').to.equal(true);

      await gateway.stop();
      await gateway.start();
      const again = await gateway.client();
      client.token = again.token;
      await connected(client, 'strict');
      expect((await certificates()).map(({ state }) => state)).to.deep.equal(['own', 'trusted']);
      await using session = await login();
      await session.monitor('boiler/fast/tag0', () => undefined);
      const [one, ...others] = await clients();
      expect(others).to.deep.equal([]);
      expect(one).to.include({
        user: 'otto',
        security: 'SignAndEncrypt, Basic256Sha256',
        subscriptions: 1,
        items: 1,
      });

      await client.ok('PUT', '/node/certificate', { ...move, to: 'rejected' });
      await until('the session has ended', async () => (await clients()).length === 0);
      expect(await isServed(), 'rejected').to.equal(false);
      await client.ok('PUT', '/node/certificate', { ...move, to: 'deleted' });
      const gone = await client.call('PUT', '/node/certificate', move);
      expect([gone.status, gone.body.error]).to.deep.equal([404, 9050]);
      const stopped = await client.call('GET', '/node/clients', { node: 'boiler' });
      expect([stopped.status, stopped.body.error], 'a driver has no clients').to.deep.equal([400, 3019]);
      const { entries } = await client.ok<AuditReply>('GET', '/audit', { page_size: '100' });
      const said = entries.map(({ user, text, error }) => `${user}|${text}|${error}`);
      for (const done of ['trusted', 'rejected', 'deleted'])
        expect(said).to.include(`admin|${done} the certificate ${id} of the node "strict"|0`);
      expect(said).to.include('otto|tried, with error 1022: called PUT /api/v2/node/certificate|1022');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('gives the history of a tag as the gateway has it, also after a restart', async () => {
    const client = await gateway.client();
    const place = { node: 'boiler', group: 'fast' };
    const kept = (query: object): Promise<HistoryReply> =>
      client.ok<HistoryReply>('GET', '/history', { ...place, tag: 'tag2', ...query });
    await client.ok('PUT', '/group', { ...place, history: 1 });
    for (const value of [101, 202, 303]) {
      await device.setRegisters(2, [value]);
      await until(`${value} is in the history`, async () => (await kept({})).values?.at(-1) === value);
    }
    const { times, values = [] } = await kept({});
    const [from = 0] = times;
    const last = times.at(-1) ?? 0;
    /** What OPC UA clients read from the first value up to the last. */
    const sameByOpcUa = async (when: string): Promise<void> => {
      await using vera = await OpcUaClient.login(port, 'vera', 'views');
      const read = await vera.history('boiler/fast/tag2', from, last + 1);
      expect(
        read.map(({ time }) => time),
        when,
      ).to.deep.equal(times);
      expect(
        read.map(({ value }) => value),
        when,
      ).to.deep.equal(values);
      const interval = Math.ceil((last + 1 - from) / 3);
      const range = { from, to: from + 3 * interval, interval };
      const { min, max, mean } = await kept({ from, to: range.to - 1, buckets: 3 });
      for (const [aggregate, expected] of [
        ['Minimum', min],
        ['Maximum', max],
        ['Average', mean],
      ] as const)
        expect(
          (await vera.aggregate('boiler/fast/tag2', aggregate, range)).map(({ value }) => value),
          `${aggregate} ${when}`,
        ).to.deep.equal(expected);
    };
    await sameByOpcUa('before the restart');
    await gateway.stop();
    await gateway.start();
    client.token = (await gateway.client()).token;
    await connected(client, 'opc');
    const began = Date.now();
    await until('values come again', async () => ((await kept({ from: began })).values ?? []).includes(303));
    await sameByOpcUa('after the restart');
    await using vera = await OpcUaClient.login(port, 'vera', 'views');
    const since = await vera.history('boiler/fast/tag2', last + 1, Date.now());
    expect(since.map(({ status }) => status)).to.include.members(['BadOutOfService', 'Good']);
    await client.ok('PUT', '/group', { ...place, history: 0 });
    await until('the tag has no history', async () => {
      const read = await vera.history('boiler/fast/tag2', from, last).then(String, String);
      return read.includes('BadHistoryOperationUnsupported');
    });
  });

  /** Has a viewer read and an operator read and write. */
  async function serves(when: string): Promise<void> {
    await using vera = await OpcUaClient.login(port, 'vera', 'views');
    await until(`the tags have values ${when}`, async () =>
      (await vera.read('boiler/fast/tag0')).statusCode.isGood(),
    );
    expect((await vera.read('boiler/fast/tag0')).value.value).to.equal(11);
    expect(await vera.write('boiler/fast/tag1', 1)).to.equal('BadUserAccessDenied');
    await using otto = await OpcUaClient.login(port, 'otto', 'operates');
    expect(await otto.write('boiler/fast/tag1', 77)).to.equal('Good');
    expect((await device.registers(1, 1))[0]).to.equal(77);
    expect(await refusal('otto', 'wrong')).to.match(/BadUserAccessDenied/);
  }

  async function refusal(name: string, password: string): Promise<string> {
    try {
      await using _client = await OpcUaClient.login(port, name, password);
      return 'served';
    } catch (error) {
      return String(error);
    }
  }

  function ownCertificate(): Buffer {
    const nodes = join(gateway.data, 'nodes');
    const [node = ''] = readdirSync(nodes).filter((folder) =>
      readdirSync(join(nodes, folder)).includes('pki'),
    );
    return readFileSync(join(nodes, node, 'pki', 'own', 'certificate.der'));
  }
});
