import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { DataValue } from 'node-opcua-client';
import { until } from '../kit/until.ts';
import { OpcUaClient } from '../world/opcua-client.ts';
import { password, type PairGateway } from './pair-gateway.ts';
import { describePair } from './suite.ts';

const port = 4840;
const tag = 'plant/watched/tag0';
const setpoint = 'plant/watched/setpoint';

/** Nodes of the standard. */
const serviceLevel = 'i=2267';
const serverArray = 'i=2254';
const redundancySupport = 'i=3709';
const serverUriArray = 'i=11314';

describePair('an OPC UA server at two gateways', 29, false, ({ pair }) => {
  const address = (gateway: PairGateway): string => pair().network.address(gateway.side);
  const login = (gateway: PairGateway, at = port): Promise<OpcUaClient> =>
    OpcUaClient.login(at, 'admin', password, address(gateway));
  const trying = (gateway: PairGateway, at = port): Promise<OpcUaClient | undefined> =>
    login(gateway, at).catch(() => undefined);

  before(async () => {
    const client = await pair().client();
    const attribute = Attribute.READ | Attribute.WRITE;
    const tags = [{ name: 'setpoint', address: '1!400010', attribute, type: DataType.INT16 }];
    await client.ok('POST', '/tags', { node: 'plant', group: 'watched', tags });
    await client.ok('PUT', '/plugin/permission', { plugin: 'OPC UA Server', logins: true });
    await client.ok('POST', '/node', { name: 'opc', plugin: 'OPC UA Server' });
    await client.ok('POST', '/subscribe', { app: 'opc', driver: 'plant', group: 'watched' });
    await client.ok('POST', '/node/setting', { node: 'opc', params: { port, trust: 1 } });
  });

  it('clients see both, and the standby says that it has no data', async () => {
    const { active, standby } = await pair().settled();
    await using first = await until('the active gateway serves', () => trying(active), { within: 20_000 });
    await using second = await until('the standby serves', () => trying(standby), { within: 20_000 });
    await until('the tag has a value', async () => (await first.read(tag)).statusCode.isGood());
    expect(await first.standard(serviceLevel)).to.equal(255);
    expect(await second.standard(serviceLevel)).to.equal(1);
    expect((await second.read(tag)).statusCode.name).to.equal('BadNoCommunication');
    expect(await second.write(setpoint, 7)).to.equal('BadNoCommunication');

    const [own] = await first.standard<string[]>(serverArray);
    const [other] = await second.standard<string[]>(serverArray);
    expect(own).not.to.equal(other);
    const urls = new Map([
      [own, `opc.tcp://${address(active)}:${port}`],
      [other, `opc.tcp://${address(standby)}:${port}`],
    ]);
    for (const [gateway, client] of [
      [active, first],
      [standby, second],
    ] as const) {
      expect(await client.standard(redundancySupport)).to.equal(2);
      expect([...(await client.standard<string[]>(serverUriArray))]).to.deep.equal([own, other].sort());
      const found = await OpcUaClient.findServers(`opc.tcp://${address(gateway)}:${port}`);
      expect(found.map(({ uri }) => uri).sort()).to.deep.equal([own, other].sort());
      for (const { uri, urls: shown } of found) expect(shown, uri).to.include(urls.get(uri));
    }
  });

  it('a session with the standby goes on when that becomes active, and the other one becomes the standby', async () => {
    const { active, standby } = await pair().settled();
    await using client = await login(standby);
    const values: DataValue[] = [];
    await client.monitor(tag, (value) => values.push(value));
    await until('the item says that there is no data', () => values.length > 0);
    expect(values[0]?.statusCode.name).to.equal('BadNoCommunication');
    await pair().switch();
    await until('the item has values', () => values.at(-1)?.statusCode.isGood(), { within: 20_000 });
    await until('the level rises', async () => (await client.standard(serviceLevel)) === 255);
    expect(await client.write(setpoint, 7)).not.to.equal('BadNoCommunication');
    const next = await pair().settled();
    expect(next.standby.side).to.equal(active.side);
    await using old = await until('the other one serves again', () => trying(active), { within: 20_000 });
    expect(await old.standard(serviceLevel)).to.equal(1);
  });

  it('a client of an active gateway that is killed finds the other one by itself, and gets values there', async () => {
    const { active } = await pair().settled();
    await using client = await login(active);
    const values: DataValue[] = [];
    await client.monitor(tag, (value) => values.push(value));
    await until('the item has values', () => values.at(-1)?.statusCode.isGood());
    // What a client with redundancy keeps of a server: who belongs to the set, and where each of them is.
    const [own] = await client.standard<string[]>(serverArray);
    const others = [...(await client.standard<string[]>(serverUriArray))].filter((uri) => uri !== own);
    const found = await OpcUaClient.findServers(`opc.tcp://${address(active)}:${port}`);
    const urls = found.filter(({ uri }) => others.includes(uri)).flatMap((server) => server.urls);
    expect(urls).to.have.length(1);
    const { hostname } = new URL(urls[0]!);
    for (const pid of await active.everything()) process.kill(pid, 'SIGKILL');
    const best = await until(
      'the other server says that it is the best',
      async () => {
        const next = await OpcUaClient.login(port, 'admin', password, hostname);
        if ((await next.standard<number>(serviceLevel)) >= 200) return next;
        await next[Symbol.asyncDispose]();
        return undefined;
      },
      { within: 60_000 },
    );
    await using next = best;
    const later: DataValue[] = [];
    await next.monitor(tag, (value) => later.push(value));
    await until('values come from there', () => later.at(-1)?.statusCode.isGood(), { within: 20_000 });
    expect(await next.write(setpoint, 7)).not.to.equal('BadNoCommunication');
    await pair().settled();
  });

  it('the standby follows the settings, and stops when the node does', async () => {
    const { active, standby } = await pair().settled();
    const client = await active.client();
    await client.ok('POST', '/node/setting', { node: 'opc', params: { port: port + 1, trust: 1 } });
    await using moved = await until('it is at the new port', () => trying(standby, port + 1), {
      within: 20_000,
    });
    expect(await moved.standard(serviceLevel)).to.equal(1);
    expect(await trying(standby)).to.equal(undefined);
    await client.ok('POST', '/node/ctl', { node: 'opc', cmd: 1 });
    await until('nobody is served', async () => {
      await using served = await trying(standby, port + 1);
      return served === undefined;
    });
  });
});
