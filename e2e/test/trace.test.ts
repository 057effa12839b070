import { Attribute, DataType, ErrorCode, type AuditReply, type TraceReply } from '@tagway/schemas';
import { expect } from 'chai';
import { addDriver, connected, holding, readValues, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { dissected, hasTshark } from '../world/dissection.ts';
import { EtherNetIpPlc } from '../world/ethernetip-plc.ts';
import { listenIec104 } from '../world/iec104-station.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { useGateway } from '../world/plant.ts';
import { startRtuLine } from '../world/rtu-line.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { SnmpAgent } from '../world/snmp-agent.ts';

const { READ } = Attribute;

interface Peer {
  readonly settings: object;
  stop(): Promise<unknown>;
}

interface Protocol {
  readonly plugin: string;
  start(): Promise<Peer>;
  readonly tags: readonly TagBody[];
  /** What a frame that is sent, and one that is received, is said to mean. */
  readonly sent: RegExp;
  readonly received: RegExp;
  /** The protocols that tshark finds in such a frame. */
  readonly protocols: RegExp;
  /** A field of tshark, and its value in one of the frames. */
  readonly field: readonly [name: string, value: string];
  readonly hasUnits?: true;
}

const tag = (name: string, address: string, type: DataType): TagBody => ({
  name,
  address,
  type,
  attribute: READ,
});
const modbus = { host: '127.0.0.1', connection_mode: 0, timeout: 1000, interval: 0 };

const protocols: readonly Protocol[] = [
  {
    plugin: 'Modbus TCP',
    start: async () => {
      const device = await Device.start();
      const settings = { ...modbus, transport_mode: 0, port: device.port };
      return { settings, stop: () => device.stop() };
    },
    tags: [tag('level', holding(11), DataType.FLOAT)],
    sent: /^Read holding registers 400011 to 400012$/,
    received: /^Values of holding registers 400011 to 400012: [\da-f]{4} [\da-f]{4}$/,
    protocols: /:mbtcp:modbus$/,
    field: ['modbus.reference_num', '10'],
    hasUnits: true,
  },
  {
    plugin: 'Modbus RTU',
    start: async () => {
      const line = await startRtuLine();
      return { settings: { ...modbus, link: 1, port: line.port }, stop: () => line.stop() };
    },
    tags: [tag('level', holding(11), DataType.FLOAT)],
    sent: /^Read holding registers 400011 to 400012$/,
    received: /^Values of holding registers 400011 to 400012: 000a 000b$/,
    protocols: /:mbrtu:modbus$/,
    field: ['modbus.reference_num', '10'],
    hasUnits: true,
  },
  {
    plugin: 'Siemens S7 ISOTCP',
    start: () => S7Plc.start(),
    tags: [tag('level', 'DB3.DBW20', DataType.FLOAT)],
    sent: /^Read DB3\.DBW20 \(4 bytes\)$/,
    received: /^DB3\.DBW20 \(4 bytes\) = [\da-f]{8}$/,
    protocols: /:tpkt:cotp(:s7comm)?$/,
    field: ['s7comm.param.item.db', '3'],
  },
  {
    plugin: 'IEC60870-5-104',
    start: async () => {
      const station = await listenIec104();
      return { settings: { ...station.settings, ca: 1, interval: 10 }, stop: () => station.stop() };
    },
    tags: [tag('level', '100', DataType.BIT)],
    sent: /^Interrogation \(C_IC_NA_1\), activation: 0$/,
    received: /^M_SP_NA_1, interrogated: 100 = 1$/,
    protocols: /:iec60870_104(:iec60870_asdu)?$/,
    field: ['iec60870_asdu.ioa', '100'],
    hasUnits: true,
  },
  {
    plugin: 'EtherNet/IP',
    start: () => EtherNetIpPlc.start(),
    tags: [tag('level', 'Level', DataType.INT16), tag('rate', 'Rate', DataType.FLOAT)],
    sent: /^Read Rate; Read Level$/,
    received: /^Read Rate = REAL 00000000; Read Level = INT 0000$/,
    protocols: /:enip(:cip.*)?$/,
    field: ['cip.instance', '0x03'],
  },
  {
    plugin: 'SNMP',
    start: () => SnmpAgent.start(),
    tags: [tag('level', 'ifHCInOctets.2', DataType.UINT64)],
    sent: /^Get: ifHCInOctets\.2$/,
    received: /^Response: ifHCInOctets\.2 = \d+$/,
    protocols: /:udp:snmp$/,
    field: ['snmp.name', '1.3.6.1.2.1.31.1.1.1.6.2'],
  },
];

describe('The frame trace of a node', function () {
  this.timeout(60_000);
  const { client, gateway } = useGateway();
  const peers: Peer[] = [];
  /** By plugin, a trace as pcapng, and its number of frames. */
  const captures = new Map<string, { readonly capture: Buffer; readonly total: number }>();
  after(() => Promise.all(peers.map((peer) => peer.stop())));

  const trace = (node: string): Promise<TraceReply> => client.ok('GET', '/node/trace', { node });
  const begin = (node: string, more: object = {}): Promise<unknown> =>
    client.ok('POST', '/node/trace', { node, ...more });
  const end = (node: string): Promise<unknown> => client.ok('DELETE', '/node/trace', { node });

  /** Waits until a frame has a text. */
  const traced = (node: string, text: RegExp): Promise<TraceReply> =>
    until(`${node} has a frame ${String(text)}`, async () => {
      const found = await trace(node);
      return found.frames.some((frame) => text.test(frame.text ?? '')) ? found : undefined;
    });

  async function file(node: string, form: string): Promise<Buffer> {
    const url = `${gateway.url}/api/v2/node/trace/${form}?node=${encodeURIComponent(node)}`;
    const reply = await fetch(url, { headers: { Authorization: `Bearer ${client.token ?? ''}` } });
    expect(reply.status).to.equal(200);
    return Buffer.from(await reply.arrayBuffer());
  }

  async function restart(node: string): Promise<void> {
    await client.ok('POST', '/node/ctl', { node, cmd: 1 });
    await client.ok('POST', '/node/ctl', { node, cmd: 0 });
  }

  for (const { plugin, start, tags, sent, received, hasUnits } of protocols)
    it(`${plugin}: says what the frames mean, over a restart of the node`, async () => {
      const peer = await start();
      peers.push(peer);
      await addDriver(client, plugin, { plugin, tags, settings: peer.settings });
      await connected(client, plugin);
      await begin(plugin);
      await restart(plugin);
      await traced(plugin, sent);
      await traced(plugin, received);
      await restart(plugin);
      await until('the connection of the next run is there', async () =>
        (await trace(plugin)).frames.some(({ connection }) => connection > 1),
      );
      await end(plugin);
      const { frames, end: why, total } = await trace(plugin);
      expect(why).to.equal('asked');
      const ofText = (text: RegExp) => frames.find((frame) => text.test(frame.text ?? ''));
      expect(ofText(sent)?.direction).to.equal('sent');
      expect(ofText(received)?.direction).to.equal('received');
      expect(ofText(received)?.unit).to.equal(hasUnits === true ? '1' : undefined);
      const times = frames.map(({ time }) => time);
      expect(times.toSorted((a, b) => a - b)).to.deep.equal(times);
      expect(Math.abs((times.at(-1) ?? 0) - Date.now())).to.be.below(60_000);

      const text = (await file(plugin, 'text')).toString();
      expect(text.split('\n').filter((line) => / (->|<-) /.test(line))).to.have.length(total);
      expect(text).to.match(new RegExp(sent.source.slice(1), 'm'));

      const capture = await file(plugin, 'pcapng');
      expect(capture.readUInt32LE(0)).to.equal(0x0a0d0d0a);
      captures.set(plugin, { capture, total });
    });

  (hasTshark ? it : it.skip)(
    `is saved so that tshark finds the same${hasTshark ? '' : ' (skipped: tshark is not installed)'}`,
    () => {
      expect([...captures.keys()]).to.deep.equal(protocols.map(({ plugin }) => plugin));
      for (const { plugin, protocols: found, field } of protocols) {
        const { capture, total } = captures.get(plugin)!;
        const layers = ['frame.protocols', 'frame.packet_flags_direction', '_ws.malformed', field[0]];
        const rows = dissected(capture, layers);
        expect(rows).to.have.length(total);
        for (const [names = '', direction, malformed] of rows) {
          expect(names).to.match(found);
          // The peers of these tests take some liberties, the gateway none.
          if (direction === '0x00000002') expect(malformed, names).to.equal('');
        }
        // A packet of several requests has a value of each.
        expect(rows.flatMap(([, , , values = '']) => values.split(','))).to.include(field[1]);
      }
    },
  );

  it('has the frames about one tag, or of one unit, alone', async () => {
    const node = 'boiler';
    const device = await Device.start();
    peers.push({ settings: {}, stop: () => device.stop() });
    const far = [tag('near', holding(1), DataType.INT16), tag('far', holding(4001), DataType.INT16)];
    const settings = { ...modbus, transport_mode: 0, port: device.port };
    await addDriver(client, node, { plugin: 'Modbus TCP', tags: far, settings });
    await readValues(client, node, 'group');
    await begin(node, { group: 'group', tag: 'far' });
    const { frames } = await traced(node, /^Values/);
    for (const { text } of frames) expect(text).to.include('404001');
    expect(new Set(frames.map(({ direction }) => direction)).size).to.equal(2);
    await end(node);

    await begin(node, { unit: '2' });
    await client.ok('POST', '/tags', {
      node,
      group: 'group',
      tags: [tag('other', '2!400001', DataType.INT16)],
    });
    const ofUnit = await traced(node, /400001/);
    for (const { unit } of ofUnit.frames) expect(unit).to.equal('2');
    await end(node);
    expect(await client.errorOf('POST', '/node/trace', { node, group: 'group', tag: 'gone' })).to.equal(
      ErrorCode.TAG_NOT_FOUND,
    );
  });

  it('goes on when the process of the plugin is killed, and is gone with the gateway', async () => {
    const node = 'boiler';
    await begin(node);
    const before = await traced(node, /^Values/);
    process.kill((await gateway.runner('modbus-tcp')).pid, 'SIGKILL');
    await until('frames of the next process are there', async () => {
      const { frames, total } = await trace(node);
      return (
        total > before.total && frames.some(({ time }) => time > (before.frames.at(-1)?.time ?? 0) + 500)
      );
    });
    expect(await client.errorOf('POST', '/node/trace', { node })).to.equal(ErrorCode.TRACE_RUNNING);
    await gateway.restart();
    expect(await client.errorOf('GET', '/node/trace', { node })).to.equal(ErrorCode.FILE_NOT_FOUND);
    await readValues(client, node, 'group');
    await begin(node, { seconds: 1 });
    await until('its time is over', async () => (await trace(node)).end === 'time');
    const { total } = await trace(node);
    expect(total).to.be.greaterThan(0);
    await readValues(client, node, 'group');
    expect((await trace(node)).total, 'no frame comes after its end').to.equal(total);
  });

  it('says why there is none: a library, a node that is stopped', async () => {
    const server = await OpcUaServer.start();
    peers.push({ settings: {}, stop: () => server.stop() });
    await client.ok('POST', '/node', { name: 'plant', plugin: 'OPC UA', params: { url: server.url } });
    await connected(client, 'plant');
    const { status, body } = await client.call('POST', '/node/trace', { node: 'plant' });
    expect({ status, ...body }).to.deep.equal({
      status: 400,
      error: ErrorCode.TRACE_UNSUPPORTED,
      message: 'This driver has no frames to trace: it speaks to its device through a library of its own.',
    });
    await client.ok('POST', '/node/ctl', { node: 'plant', cmd: 1 });
    expect(await client.errorOf('POST', '/node/trace', { node: 'plant' })).to.equal(ErrorCode.NOT_RUNNING);
  });

  it('is for engineers and admins, and the audit says who has traced', async () => {
    await client.ok('POST', '/users', { name: 'otto', password: 'operates', role: 'operator' });
    await client.ok('POST', '/users', { name: 'erna', password: 'engineers', role: 'engineer' });
    const otto = await (await gateway.client()).login('otto', 'operates');
    const erna = await (await gateway.client()).login('erna', 'engineers');
    const node = 'boiler';
    for (const [method, path] of [
      ['POST', '/node/trace'],
      ['GET', '/node/trace'],
      ['GET', '/node/trace/text'],
      ['GET', '/node/trace/pcapng'],
      ['DELETE', '/node/trace'],
    ] as const)
      expect(await otto.errorOf(method, path, { node }), `${method} ${path}`).to.equal(
        ErrorCode.USER_NOT_PERMITTED,
      );
    await erna.ok('POST', '/node/trace', { node, unit: '1' });
    await erna.ok('DELETE', '/node/trace', { node });
    const { entries } = await client.ok<AuditReply>('GET', '/audit', { node, user: 'erna' });
    expect(entries.map(({ text }) => text)).to.have.members([
      'ended the trace of the frames of the node "boiler"',
      'began to trace the frames of the unit "1" of the node "boiler"',
    ]);
    otto.close();
    erna.close();
  });
});
