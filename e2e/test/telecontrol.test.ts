import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { hasSocat, layCable } from '../world/cable.ts';
import { addMqtt, connected, readGroup, stateOf, type TagBody } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { useFolder } from '../kit/folder.ts';
import { useNorth } from '../world/plant.ts';
import { until } from '../kit/until.ts';
import { WordPlc } from '../world/word-plc.ts';

const { READ, WRITE, SUBSCRIBE } = Attribute;

/** Longer than the test, so that nothing leaves by a poll or a tick. */
const never = 600_000;

/** What comes with a value: see the flags of `Quality` in the SDK. */
interface Meta {
  readonly timestamp?: number;
  readonly quality?: number;
}
interface TagReading extends Meta {
  readonly name: string;
  readonly value?: unknown;
}
const Quality = { STALE: 0x02, SUBSTITUTED: 0x04, ALARM: 0x40, OVERRIDDEN: 0x80 } as const;

describe('Telecontrol, buildings and meters', function () {
  this.timeout(60_000);
  const { client, broker, subscriber } = useNorth();
  const folder = useFolder('telecontrol');

  before(async () => {
    await addMqtt(client, 'uplink', broker.port, { upload_meta: true });
    await connected(client, 'uplink');
  });

  async function addNode(
    node: string,
    plugin: string,
    params: object,
    groups: Readonly<Record<string, { readonly interval: number; readonly tags: readonly TagBody[] }>>,
  ): Promise<void> {
    await client.ok('POST', '/node', { name: node, plugin });
    for (const [name, { interval, tags }] of Object.entries(groups)) {
      await client.ok('POST', '/group', { name, node, interval });
      await client.ok('POST', '/tags', { node, group: name, tags });
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: node, group: name });
    }
    await client.ok('POST', '/node/setting', { node, params: { ...params } });
  }

  /** The meta of a tag in the first upload, already there or to come, in which it has a value. */
  async function uploaded(place: string, tag: string, value: unknown): Promise<Meta> {
    const { metas } = await subscriber.upload(
      `/neuron/uplink/${place}`,
      ({ values }) => values?.[tag] === value,
    );
    return metas?.[tag] ?? {};
  }

  /** What `/read` and `/read/paginate`, asked for `meta`, say of a tag beside its value; both say the same. */
  async function readMeta(node: string, group: string, tag: string, value: unknown): Promise<Meta> {
    const body = { node, group, meta: true };
    const { tags } = await client.ok<{ tags: TagReading[] }>('POST', '/read', body);
    const { items } = await client.ok<{ items: TagReading[] }>('POST', '/read/paginate', body);
    const [read, paged] = [tags, items].map((all) => all.find(({ name }) => name === tag));
    expect(read).to.include({ value });
    const { timestamp, quality } = paged ?? {};
    expect(paged).to.include({ value });
    expect({ timestamp: read?.timestamp, quality: read?.quality }).to.deep.equal({ timestamp, quality });
    return { ...(timestamp !== undefined && { timestamp }), ...(quality !== undefined && { quality }) };
  }

  it('IEC 104: a station that was never there is why its tags have no value, in the API and at the broker', async () => {
    const node = 'absent';
    const port = await freePort();
    await addNode(
      node,
      'IEC60870-5-104',
      { host: '127.0.0.1', port },
      {
        pushed: {
          interval: never,
          tags: [{ name: 'level', address: '4001', attribute: READ, type: DataType.FLOAT }],
        },
      },
    );
    const { last_error: error } = await until('the reason is known', async () => {
      const state = await stateOf(client, node);
      return (
        (await readGroup(client, node, 'pushed')).get('level')?.error === ErrorCode.DISCONNECTED && state
      );
    });
    expect(error).to.include({ code: ErrorCode.DISCONNECTED });
    expect(error?.text).to.include(`127.0.0.1:${port}`);
    const { message } = (await readGroup(client, node, 'pushed')).get('level') as { message?: string };
    expect(message).to.include(`127.0.0.1:${port}`);
    await subscriber.upload(
      `/neuron/uplink/${node}/pushed`,
      ({ errors }) => errors?.['level'] === ErrorCode.DISCONNECTED,
    );
  });

  it('BACnet/IP: what is polled, what changes and what is written reaches the broker', async () => {
    const device = await WordPlc.start('bacnet');
    try {
      const type = DataType.FLOAT;
      await addNode(
        'building',
        'BACnet/IP',
        { host: '127.0.0.1', port: device.port },
        {
          polled: { interval: 100, tags: [{ name: 'supply', address: 'AI1', attribute: READ, type }] },
          pushed: {
            interval: never,
            tags: [
              { name: 'room', address: 'AV1', attribute: READ | WRITE | SUBSCRIBE, type },
              { name: 'target', address: 'AV2', attribute: READ | WRITE | SUBSCRIBE, type },
              { name: 'fan', address: 'BO1', attribute: WRITE, type: DataType.BIT },
            ],
          },
        },
      );
      await uploaded('building/polled', 'supply', 20.5);
      device.send({ object: [0, 1], value: 21.25 });
      await uploaded('building/polled', 'supply', 21.25);
      await uploaded('building/pushed', 'room', 1);
      device.send({ object: [2, 1], value: 19.5, flags: 0b1010 });
      const { quality } = await uploaded('building/pushed', 'room', 19.5);
      expect(quality, 'in alarm and overridden').to.equal(Quality.ALARM | Quality.OVERRIDDEN);
      expect(await readMeta('building', 'pushed', 'room', 19.5)).to.deep.equal({ quality });

      await client.ok('POST', '/write', { node: 'building', group: 'pushed', tag: 'room', value: 22 });
      await uploaded('building/pushed', 'room', 22);
      const tags = [
        { tag: 'room', value: 23.5 },
        { tag: 'target', value: 24.5 },
        { tag: 'fan', value: 1 },
      ];
      await client.ok('POST', '/write/tags', { node: 'building', group: 'pushed', tags });
      await uploaded('building/pushed', 'room', 23.5);
      await uploaded('building/pushed', 'target', 24.5);
    } finally {
      await device.stop();
    }
  });

  it('IEC 60870-5-104: what a station reports of itself leaves at once, with its quality and its time', async () => {
    const station = await WordPlc.start('iec104');
    try {
      await addNode(
        'station',
        'IEC60870-5-104',
        { host: '127.0.0.1', port: station.port },
        {
          events: {
            interval: never,
            tags: [
              { name: 'switch', address: '100', attribute: READ | WRITE | SUBSCRIBE, type: DataType.BIT },
              { name: 'power', address: '200', attribute: READ | SUBSCRIBE, type: DataType.FLOAT },
            ],
          },
          polled: {
            interval: 100,
            tags: [{ name: 'power', address: '200', attribute: READ, type: DataType.FLOAT }],
          },
        },
      );
      const untimed = await uploaded('station/events', 'power', 1.5);
      expect(untimed.quality ?? 0, 'as interrogated').to.equal(0);
      // M_ME_TF_1, spontaneous: 2.5, not topical and substituted, at 2024-02-29 23:59:58.765.
      const time = [0x8d, 0xe5, 59, 23, 29 | (4 << 5), 2, 24];
      station.send({ unit: [36, 1, 3, 0, 1, 0, 200, 0, 0, 0, 0, 0x20, 0x40, 0x60, ...time] });
      const timed = await uploaded('station/events', 'power', 2.5);
      expect(timed).to.deep.equal({
        quality: Quality.STALE | Quality.SUBSTITUTED,
        timestamp: Date.UTC(2024, 1, 29, 23, 59, 58, 765),
      });
      expect(await readMeta('station', 'events', 'power', 2.5)).to.deep.equal(timed);
      await uploaded('station/polled', 'power', 2.5);
      expect(await readMeta('station', 'polled', 'power', 2.5)).to.deep.equal(timed);
      const { tags } = await client.ok<{ tags: TagReading[] }>('POST', '/read', {
        node: 'station',
        group: 'events',
      });
      expect(tags[1], 'without being asked it is a value alone').to.deep.equal({ name: 'power', value: 2.5 });
      // The station returns what it was commanded to.
      await uploaded('station/events', 'switch', 1);
      await client.ok('POST', '/write', { node: 'station', group: 'events', tag: 'switch', value: 0 });
      await uploaded('station/events', 'switch', 0);
    } finally {
      await station.stop();
    }
  });

  const secured = 'IEC 60870-5-104: the backup host is taken when the first is not there, over TLS';
  it(hasOpenssl ? secured : `${secured} (skipped: openssl is not installed)`, async function () {
    if (!hasOpenssl) this.skip();
    const station = await WordPlc.start('iec104');
    const file = (name: string): Buffer => readFileSync(folder(name));
    for (const name of ['station', 'gateway'])
      certify(folder(`${name}.pem`), folder(`${name}.key`), name, `DNS:${name}`);
    const own = { cert: file('station.pem'), key: file('station.key'), ca: file('gateway.pem') };
    const sockets = new Set<TLSSocket>();
    const server = createServer({ ...own, requestCert: true, rejectUnauthorized: true }, (socket) => {
      sockets.add(socket);
      const inner = connect(station.port, '127.0.0.1');
      inner.on('error', () => socket.destroy());
      socket.on('error', () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const closed = once(server, 'close');
    try {
      const base64 = (name: string): string => file(name).toString('base64');
      const params = {
        host: '127.0.0.1',
        port: 1,
        t0: 5,
        backup_host: '127.0.0.1',
        backup_port: (server.address() as AddressInfo).port,
        tls: true,
        tls_ca: base64('station.pem'),
        tls_name: 'station',
        tls_cert: base64('gateway.pem'),
        tls_key: base64('gateway.key'),
      };
      const tags = [{ name: 'level', address: '300', attribute: READ | SUBSCRIBE, type: DataType.INT16 }];
      await addNode('secured', 'IEC60870-5-104', params, { events: { interval: never, tags } });
      await uploaded('secured/events', 'level', 7);
      expect((await stateOf(client, 'secured')).link).to.equal(2);
    } finally {
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await station.stop();
    }
  });

  const serial = 'DL/T 645-2007: what meters on a serial line say reaches the broker';
  it(hasSocat ? serial : `${serial} (skipped: socat is not installed)`, async function () {
    if (!hasSocat) this.skip();
    const meters = await WordPlc.start('dlt645');
    const device = folder('port');
    const cable = await layCable(device, meters.port);
    try {
      const serial = { link: 0, device, stop: 0, parity: 2, baud: 4, data: 3 };
      const params = { ...serial, mail_address: '000000000161', timeout: 1000 };
      const tag = { attribute: READ, type: DataType.UINT32 };
      const tags = [
        { ...tag, name: 'total', address: '00-01-FF-00' },
        { ...tag, name: 'energy', address: '00-01-FF-00#1' },
      ];
      // As other gateways of the family export it.
      const groups = [{ group: 'energies', interval: 200, tags }];
      const node = { name: 'meters', plugin: 'DLT645-2007', params, groups };
      await client.ok('PUT', '/global/drivers', { nodes: [node] });
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'meters', group: 'energies' });
      const { values } = await subscriber.upload(
        '/neuron/uplink/meters/energies',
        ({ values: all }) => typeof all?.['energy'] === 'number',
      );
      // The second part of block 1: its number, and up to 999 tenths of seconds.
      expect(values?.['energy']).to.be.within(51, 51 + 999);
      expect(values?.['total'], 'the plain address is the part before it').to.equal(
        Number(values?.['energy']) - 1,
      );
      expect((await readGroup(client, 'meters', 'energies', true)).get('energy')?.error).to.equal(undefined);
    } finally {
      await cable.stop();
      await meters.stop();
    }
  });

  it('several tags in one write are taken for BACnet alone of these', async () => {
    const both = READ | WRITE;
    const place = { host: '127.0.0.1', port: 1 };
    const one = { attribute: READ, error: ErrorCode.WRITE_TAGS_UNSUPPORTED };
    const meter = { ...place, connection_mode: 0 };
    const bit = { addresses: ['1', '2'], type: DataType.BIT };
    const energy = { addresses: ['00-01-00-00', '00-02-00-00'], type: DataType.UINT32 };
    const total = { addresses: ['3!0', '3!4'], type: DataType.UINT32 };
    const room = { addresses: ['AV1', 'AV2'], type: DataType.FLOAT };
    const onMeter = { link: 1, mail_address: 1, timeout: 1000 };
    const nodes = {
      'IEC60870-5-104': { ...one, ...bit, params: place, attribute: both },
      'DLT645-2007': { ...one, ...energy, params: { ...meter, ...onMeter } },
      'NON A11': { ...one, ...total, params: { ...meter, site: 1 } },
      // There is no device, which only a driver that was asked can know.
      'BACnet/IP': { ...room, params: place, attribute: both, error: ErrorCode.DISCONNECTED },
    };
    for (const [plugin, { params, addresses, type, attribute, error }] of Object.entries(nodes)) {
      const node = `one ${plugin}`;
      const tags = addresses.map((address, index) => ({ name: `tag${index}`, address, attribute, type }));
      await addNode(node, plugin, params, { group: { interval: never, tags } });
      const writes = tags.map(({ name }) => ({ tag: name, value: 1 }));
      const refusal = await client.errorOf('POST', '/write/tags', { node, group: 'group', tags: writes });
      expect(refusal, plugin).to.equal(error);
    }
  });
});
