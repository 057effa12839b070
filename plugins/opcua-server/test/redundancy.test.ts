import { layoutOf } from '@tagway/store/test';
import { DataType, type GatewayPair } from '@tagway/sdk';
import { expect } from 'chai';
import { findServers } from 'node-opcua-client';
import { Client } from './kit/client.ts';
import { type ServerNode, startServer, subscriptionTo } from './kit/node.ts';

const layout = layoutOf([{ name: 'int', type: DataType.INT16 }]);
const open = { unsecured: true, anonymous: true };
const west = { name: 'west', url: 'http://10.0.0.1:7000' };
const east = { name: 'east hall', url: 'https://[fd00::2]:7000' };
const standby: GatewayPair = { role: 'standby', name: west.name, others: [east] };

/** Nodes of the standard: ServiceLevel, RedundancySupport, ServerUriArray, and that whose type they belong to. */
const level = 'i=2267';
const support = 'i=3709';
const uris = 'i=11314';
const redundancy = 'i=2296';

async function valueOf({ session }: Client, nodeId: string): Promise<unknown> {
  return (await session.read({ nodeId, attributeId: 13 })).value.value;
}

async function typeOf({ session }: Client, nodeId: string): Promise<string | undefined> {
  const { references } = await session.browse({ nodeId, referenceTypeId: 'HasTypeDefinition' } as never);
  return references?.map((one) => one.nodeId.toString()).join();
}

/** URIs and URLs of the servers that a node names. */
async function serversOf({
  port,
}: ServerNode): Promise<(readonly [uri: string | null, url: string | null])[]> {
  const { servers } = await findServers(`opc.tcp://127.0.0.1:${port}`);
  return servers.map(({ applicationUri, discoveryUrls }) => [applicationUri, discoveryUrls?.[0] ?? null]);
}

describe('a server at a gateway of a pair', function () {
  this.timeout(30_000);

  it('names both, also while the other one is away, and has no data as the standby', async () => {
    await using node = await startServer(open, { pair: standby, pairId: '0123456789abcdef' });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    await using client = await Client.connect(node.port);
    const [own, other] = ['west', 'east_hall'].map((name) => `urn:tagway:0123456789abcdef:${name}`);
    expect([...((await valueOf(client, uris)) as string[])]).to.deep.equal([other, own]);
    expect(await valueOf(client, support)).to.equal(2);
    expect(await typeOf(client, redundancy), 'NonTransparentRedundancyType').to.equal('ns=0;i=2039');
    expect(await valueOf(client, level)).to.equal(1);
    expect((await client.read('modbus/grp/int')).statusCode.name).to.equal('BadNoCommunication');
    expect((await serversOf(node))[1]).to.deep.equal([other, `opc.tcp://[fd00::2]:${node.port}`]);

    node.app.pairChanged?.({ ...standby, role: 'active', others: [] });
    expect(await valueOf(client, level)).to.equal(255);
    expect((await serversOf(node)).map(([uri]) => uri)).to.deep.equal([own, other]);
  });

  it('has the URI of the settings and the name of the gateway', async () => {
    const settings = { ...open, application_uri: 'urn:plant.example:opc' };
    await using node = await startServer(settings, { pair: standby, pairId: '0123456789abcdef' });
    const uriOf = (name: string): string => `urn:plant.example:opc:${name}`;
    expect((await serversOf(node)).map(([uri]) => uri)).to.deep.equal([uriOf('west'), uriOf('east_hall')]);
  });

  it('says without a pair that there is none', async () => {
    await using node = await startServer(open);
    await using client = await Client.connect(node.port);
    expect(await valueOf(client, support)).to.equal(0);
    expect(await typeOf(client, redundancy), 'ServerRedundancyType').to.equal('ns=0;i=2034');
    expect(await serversOf(node)).to.have.length(1);
  });
});
