import { once } from 'node:events';
import { connect } from 'node:net';
import { layoutOf, sampleWith } from '@tagway/store/test';
import { type AlarmEvent, DataType, ErrorCode } from '@tagway/sdk';
import { Dissection, randomOf, until, withTshark } from '@tagway/testkit';
import { expect } from 'chai';
import { AttributeIds, findServers } from 'node-opcua-client';
import { AlarmClient } from './kit/alarm-client.ts';
import { Client } from './kit/client.ts';
import { historyOf, pointAt } from './kit/history.ts';
import { startServer, subscriptionTo } from './kit/node.ts';
import { Tap } from './kit/tap.ts';

const { BOOL, BYTES, DOUBLE, FLOAT, INT64, INT8, STRING, UINT16 } = DataType;

const layout = layoutOf([
  { name: 'int8', type: INT8 },
  { name: 'uint16', type: UINT16 },
  { name: 'int64', type: INT64 },
  { name: 'float', type: FLOAT },
  { name: 'double', type: DOUBLE },
  { name: 'bool', type: BOOL },
  { name: 'text', type: STRING },
  { name: 'bytes', type: BYTES },
  { name: 'lost', type: INT8 },
]);
const timestamp = 1_650_006_388_943;
const sample = sampleWith(
  layout,
  [
    -2,
    0x1234,
    -(2n ** 63n) + 1n,
    1.5,
    -0.1,
    true,
    'zwölf',
    Uint8Array.of(0, 255),
    { fault: ErrorCode.DISCONNECTED },
  ],
  { timestamp },
);

const alarm: AlarmEvent = {
  sequence: 1,
  time: timestamp,
  recorded: timestamp,
  tag: 'text',
  from: 'normal',
  to: 'unacknowledged',
  cause: 'condition',
  priority: 'medium',
  text: 'zwölf Grad',
};

/** Intervals of 100 ns since 1601 (OPC 10000-6, 5.2.2.5), little endian. */
function dateTime(ms: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE((BigInt(ms) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

/** Variants as OPC 10000-6, 5.2.2.16 has them; in a data value (5.2.2.17) the source time follows where the status is good. */
const vectors: readonly (readonly [string, string])[] = [
  ['SByte -2', '02 fe'],
  ['UInt16 0x1234', '05 3412'],
  ['Int64 -2^63 + 1', '08 0100000000000080'],
  ['Float 1.5', '0a 0000c03f'],
  ['Double -0.1', '0b 9a9999999999b9bf'],
  ['Boolean true', '01 01'],
  ['String zwölf', '0c 06000000 7a77c3b66c66'],
  ['ByteString 00 ff', '0f 02000000 00ff'],
];

/** Seconds for which random bytes are sent at least; `RANDOM_SECONDS=60` by hand. */
const randomSeconds = Number(process.env['RANDOM_SECONDS'] ?? 0);

describe('the wire', function () {
  this.timeout(60_000);

  it('has values as the encoding rules of the standard have them', async () => {
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    node.deliver(sample, subscription);
    await using tap = await Tap.open(node.port);
    await using client = await Client.connect(tap.port);
    await client.session.read(
      layout.columns.map(({ name }) => ({
        nodeId: client.id(`modbus/grp/${name}`),
        attributeId: AttributeIds.Value,
      })),
    );
    for (const [what, hex] of vectors) {
      const bytes = Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), dateTime(timestamp)]);
      expect(tap.sent.includes(bytes), what).to.equal(true);
    }
    // BadNoCommunication is 0x80310000; the source time follows the status.
    const lost = Buffer.concat([Buffer.from('00003180', 'hex'), dateTime(timestamp)]);
    expect(tap.sent.includes(lost), 'a status that is bad').to.equal(true);
  });

  it('answers a HEL with an ACK, and what is no message with an ERR and the end of the connection', async () => {
    await using node = await startServer();
    const url = Buffer.from(`opc.tcp://127.0.0.1:${node.port}`);
    const hello = Buffer.alloc(32);
    hello.write('HELF');
    hello.writeUInt32LE(32 + url.length, 4);
    // Version 0, then receive and send buffer, message and chunks, and the length of the URL.
    for (const [index, value] of [0, 65_536, 65_536, 0, 0, url.length].entries())
      hello.writeUInt32LE(value, 8 + 4 * index);
    const answer = await exchange(node.port, Buffer.concat([hello, url]));
    expect(answer.toString('latin1', 0, 4)).to.equal('ACKF');
    expect(answer.readUInt32LE(4)).to.equal(28);
    expect(answer.readUInt32LE(8), 'version').to.equal(0);
    expect(answer.readUInt32LE(12), 'receive buffer').to.be.within(8192, 65_536);
    const refusal = await exchange(node.port, Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    expect(refusal.toString('latin1', 0, 3)).to.be.oneOf(['ERR', '']);
  });

  it('serves others while somebody sends random bytes', async function () {
    this.timeout(randomSeconds * 1000 + 60_000);
    await using node = await startServer();
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    await using client = await Client.connect(node.port);
    let got = 0;
    await client.monitor(['modbus/grp/uint16'], () => got++, { queueSize: 5000 }, 20);
    await until('the first value is there', () => got === 1);
    const random = randomOf(37);
    const heads = ['HELF', 'OPNF', 'MSGF', 'MSGC', 'CLOF', 'RHEF', 'ERRF', ''];
    let sent = 0;
    const end = performance.now() + randomSeconds * 1000;
    for (let round = 0; round < 120 || performance.now() < end; round++) {
      const socket = connect(node.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      const bytes = Buffer.from(Array.from({ length: 8 + random(400) }, () => random(256)));
      const head = heads[random(heads.length)]!;
      bytes.write(head, 'latin1');
      // A size that fits, one that is far too large, or a random one.
      if (round % 3 < 2) bytes.writeUInt32LE(round % 3 === 0 ? bytes.length : 0x7fff_ffff, 4);
      socket.write(bytes);
      if (round % 2 === 0) socket.end();
      else setTimeout(() => socket.destroy(), 100);
      node.deliver(sampleWith(layout, [0, ++sent, 0n, 0, 0, false, '', new Uint8Array(), 0]), subscription);
    }
    await until('all samples are there', () => got === sent + 1);
    expect((await client.read('modbus/grp/uint16')).value.value).to.equal(sent);
  });
});

withTshark('what tshark makes of the messages', () => {
  it('is no malformed frame', async () => {
    const history = historyOf([pointAt(timestamp, 1), pointAt(timestamp + 1, 2)]);
    const others = [{ name: 'east', url: 'https://10.0.0.2:7000' }];
    const pair = { role: 'active', name: 'west', others } as const;
    await using node = await startServer(undefined, { history, pair, pairId: '1' });
    const subscription = subscriptionTo({ ...layout, keepsHistory: true });
    node.app.subscriptionsChanged([subscription]);
    node.deliver(sample, subscription);
    await using tap = await Tap.open(node.port);
    {
      await using client = await Client.connect(tap.port);
      let got = 0;
      await client.monitor(
        layout.columns.map(({ name }) => `modbus/grp/${name}`),
        () => got++,
        {},
        20,
      );
      await until('the items have their values', () => got === layout.columns.length);
      await client.session.browse(client.id('modbus/grp'));
      // ServerUriArray, RedundancySupport and ServiceLevel, and who is found.
      for (const nodeId of ['i=11314', 'i=3709', 'i=2267'])
        expect((await client.session.read({ nodeId })).statusCode.name).to.equal('Good');
      const { servers } = await findServers(`opc.tcp://127.0.0.1:${tap.port}`);
      expect(servers).to.have.length(2);
      await client.session.write({
        nodeId: client.id('modbus/grp/int8'),
        attributeId: AttributeIds.Value,
        value: { value: { dataType: 'SByte', value: 1 } },
      });
      const alarms = await AlarmClient.open(client);
      node.app.deliverAlarms?.([alarm], subscription);
      await until('the alarm is there', () => alarms.events.length === 1);
      await alarms.refresh();
      await until('the refresh has ended', () => alarms.events.length === 4);
      expect(await alarms.acknowledge(alarms.events[0], 'seen')).to.equal('BadUserAccessDenied');
      const nodeId = client.id('modbus/grp/uint16');
      const range = [new Date(timestamp), new Date(timestamp + 10)] as const;
      const read = await client.session.readHistoryValue({ nodeId }, ...range);
      expect(read.statusCode.name).to.equal('Good');
      node.app.subscriptionsChanged([]);
    }
    const dissection = new Dissection(tap.packets, 4840);
    expect(dissection.malformed()).to.deep.equal([]);
    const types = new Set(
      dissection
        .fields(['opcua.transport.type'], 'opcua')
        .flat()
        .flatMap((row) => row.split(',')),
    );
    expect([...types]).to.include.members(['HEL', 'ACK', 'OPN', 'MSG', 'CLO']);
    const services = dissection
      .fields(['opcua.servicenodeid.numeric'], 'opcua')
      .flat()
      .flatMap((row) => row.split(','));
    // The answers of FindServers, browse, read, history read, write, call, publish.
    expect(services).to.include.members(['425', '530', '634', '667', '676', '715', '829']);
  });
});

/** What comes for these bytes until the connection ends, or for half a second. */
async function exchange(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(bytes);
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 500))]);
  socket.destroy();
  return Buffer.concat(chunks);
}
