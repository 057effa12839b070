import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { addMqtt, connected, readGroup } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { until } from '../kit/until.ts';
import { useNorth } from '../world/plant.ts';
import { freeUdpPort, hasSnmp, snmp, SnmpDaemon } from '../world/snmp-daemon.ts';

const { READ, WRITE, SUBSCRIBE } = Attribute;
const password = 'a password of eight';
const module = `PLANT-MIB DEFINITIONS ::= BEGIN
plantLevel OBJECT-TYPE SYNTAX INTEGER MAX-ACCESS read-write STATUS current DESCRIPTION "" ::= { enterprises 99999 1 }
END`;

const title = hasSnmp ? 'SNMP' : 'SNMP (skipped: snmpd and snmp are not installed)';

(hasSnmp ? describe : describe.skip)(title, function () {
  this.timeout(60_000);
  const { gateway, client, broker, subscriber } = useNorth();
  let daemon: SnmpDaemon;
  // Before its folder is removed: it writes there when it ends.
  after(() => daemon?.stop());
  const folder = useFolder('snmp');
  let trapPort: number;

  before(async () => {
    daemon = await SnmpDaemon.start(folder('snmpd'), [
      'rocommunity public 127.0.0.1',
      'rwcommunity private 127.0.0.1',
      `createUser plant SHA-256 "${password}" AES "${password}"`,
      'rwuser plant priv',
      'override -rw .1.3.6.1.4.1.99999.1.0 integer 5',
    ]);
    trapPort = await freeUdpPort();
  });

  const secured = {
    version: 2,
    user: 'plant',
    auth_protocol: 4,
    auth_password: password,
    priv_protocol: 2,
    priv_password: password,
  };
  const args = [
    '-v3',
    '-u',
    'plant',
    '-l',
    'authPriv',
    '-a',
    'SHA-256',
    '-A',
    password,
    '-x',
    'AES',
    '-X',
    password,
  ];
  const linkDown = ['1', '1.3.6.1.6.3.1.1.5.3', '1.3.6.1.2.1.2.2.1.1.7', 'i', '7'];

  const addNode = async (node: string, settings: object): Promise<void> => {
    await client.ok('POST', '/node', { name: node, plugin: 'SNMP' });
    await client.ok('POST', '/group', { name: 'polled', node, interval: 200 });
    const tag = (name: string, address: string, type: number, attribute: number = READ): object => ({
      name,
      address,
      type,
      attribute,
    });
    await client.ok('POST', '/tags', {
      node,
      group: 'polled',
      tags: [
        tag('time', 'sysUpTime', DataType.UINT32),
        tag('loopback', 'ifType[ifDescr=lo]', DataType.UINT8),
        tag('level', 'plantLevel', DataType.INT32, READ | WRITE),
        tag('contact', 'sysContact', DataType.STRING, READ | WRITE),
      ],
    });
    await client.ok('POST', '/group', { name: 'events', node, interval: 600_000 });
    const params = { host: '127.0.0.1', port: daemon.port, trap_port: trapPort, timeout: 1000, ...settings };
    await client.ok('POST', '/node/setting', { node, params });
    await client.ok('POST', '/tags', {
      node,
      group: 'events',
      tags: [
        tag('downs', 'trap:linkDown', DataType.UINT32, READ | SUBSCRIBE),
        tag('port', 'trap:linkDown/ifIndex', DataType.INT32, READ | SUBSCRIBE),
      ],
    });
    for (const group of ['polled', 'events'])
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: node, group });
    await connected(client, node);
  };

  /** Puts the module into the folder of every node, as an operator would. */
  const giveNames = (): void => {
    const nodes = join(gateway.data, 'nodes');
    for (const node of readdirSync(nodes)) {
      mkdirSync(join(nodes, node, 'mibs'), { recursive: true });
      writeFileSync(join(nodes, node, 'mibs', 'PLANT-MIB.txt'), module);
    }
  };

  const uploaded = (place: string, tag: string, value: unknown): Promise<unknown> =>
    subscriber.upload(`/neuron/uplink/${place}`, ({ values }) => values?.[tag] === value);

  it('what is polled, written and reported reaches the broker, also after a restart, in the versions 2c and 3', async () => {
    await addMqtt(client, 'uplink', broker.port);
    await addNode('open', { write_community: 'private' });
    await addNode('secured', secured);
    giveNames();
    await gateway.restart();
    for (const node of ['open', 'secured']) {
      await connected(client, node);
      await uploaded(`${node}/polled`, 'level', 5);
      await uploaded(`${node}/polled`, 'loopback', 24);
      const tags = [
        { tag: 'level', value: node.length },
        { tag: 'contact', value: `written by ${node}` },
      ];
      await client.ok('POST', '/write/tags', { node, group: 'polled', tags });
      await uploaded(`${node}/polled`, 'contact', `written by ${node}`);
      await uploaded(`${node}/polled`, 'level', node.length);
      await client.ok('POST', '/write', { node, group: 'polled', tag: 'level', value: 5 });
    }
    expect(await snmp('snmptrap', '-v2c', '-cpublic', `127.0.0.1:${trapPort}`, ...linkDown)).to.equal(0);
    await uploaded('open/events', 'port', 7);
    expect(await snmp('snmpinform', ...args, `127.0.0.1:${trapPort}`, ...linkDown)).to.equal(0);
    await uploaded('secured/events', 'port', 7);

    subscriber.messages.length = 0;
    await gateway.restart();
    for (const node of ['open', 'secured']) await connected(client, node);
    await until(
      'the count begins anew',
      async () => (await readGroup(client, 'secured', 'events')).get('downs')?.value === 0,
    );
    expect(
      await snmp('snmpinform', ...args, `127.0.0.1:${trapPort}`, ...linkDown),
      'to an engine that has booted again',
    ).to.equal(0);
    await uploaded('secured/events', 'downs', 1);
    const { params } = await client.ok<{ params: object }>('GET', '/node/setting?node=secured');
    expect(JSON.stringify(params)).to.not.include(password);
  });
});
