import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { certify, hasOpenssl } from '../certificates.ts';
import { hasSocat, layCable } from '../cable.ts';
import { addMqtt, connected, readGroup, stateOf, type TagBody } from '../configure.ts';
import { useNorth } from '../plant.ts';
import { WordPlc } from '../word-plc.ts';

const { READ, WRITE, SUBSCRIBE } = Attribute;

/** Longer than the test, so that nothing leaves by a poll or a tick. */
const never = 600_000;

/** What comes with a value: see the flags of `Quality` in the SDK. */
interface Meta {
  readonly timestamp?: number;
  readonly quality?: number;
}
const Quality = { STALE: 0x02, SUBSTITUTED: 0x04, ALARM: 0x40, OVERRIDDEN: 0x80 } as const;

describe('Telecontrol, buildings and meters', function () {
  this.timeout(60_000);
  const { client, broker, subscriber } = useNorth();
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tagway-telecontrol-'));
    await addMqtt(client, 'uplink', broker.port, { upload_meta: true });
    await connected(client, 'uplink');
  });
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
      device.tell({ object: [0, 1], value: 21.25 });
      await uploaded('building/polled', 'supply', 21.25);
      await uploaded('building/pushed', 'room', 1);
      device.tell({ object: [2, 1], value: 19.5, flags: 0b1010 });
      const { quality } = await uploaded('building/pushed', 'room', 19.5);
      expect(quality, 'in alarm and overridden').to.equal(Quality.ALARM | Quality.OVERRIDDEN);

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
        },
      );
      const untimed = await uploaded('station/events', 'power', 1.5);
      expect(untimed.quality ?? 0, 'as interrogated').to.equal(0);
      // M_ME_TF_1, spontaneous: 2.5, not topical and substituted, at 2024-02-29 23:59:58.765.
      const time = [0x8d, 0xe5, 59, 23, 29 | (4 << 5), 2, 24];
      station.tell({ unit: [36, 1, 3, 0, 1, 0, 200, 0, 0, 0, 0, 0x20, 0x40, 0x60, ...time] });
      const timed = await uploaded('station/events', 'power', 2.5);
      expect(timed).to.deep.equal({
        ...{ quality: Quality.STALE | Quality.SUBSTITUTED },
        ...{ timestamp: Date.UTC(2024, 1, 29, 23, 59, 58, 765) },
      });
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
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    for (const name of ['station', 'gateway'])
      certify(join(folder, `${name}.pem`), join(folder, `${name}.key`), name, `DNS:${name}`);
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
        ...{ host: '127.0.0.1', port: 1, t0: 5 },
        ...{ backup_host: '127.0.0.1', backup_port: (server.address() as AddressInfo).port },
        ...{ tls: true, tls_ca: base64('station.pem'), tls_name: 'station' },
        ...{ tls_cert: base64('gateway.pem'), tls_key: base64('gateway.key') },
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
    const device = join(folder, 'port');
    const cable = await layCable(device, meters.port);
    try {
      const params = {
        link: 0,
        device,
        stop: 0,
        parity: 2,
        baud: 4,
        data: 3,
        mail_address: 161,
        timeout: 1000,
      };
      const tags = [{ name: 'energy', address: '00-01-FF-00#2', attribute: READ, type: DataType.UINT32 }];
      await addNode('meters', 'DLT645-2007', params, { energies: { interval: 200, tags } });
      const { values } = await subscriber.upload(
        '/neuron/uplink/meters/energies',
        ({ values: all }) => typeof all?.['energy'] === 'number',
      );
      // The second part of block 1: its number, and up to 999 tenths of seconds.
      expect(values?.['energy']).to.be.within(51, 51 + 999);
      expect((await readGroup(client, 'meters', 'energies', true)).get('energy')?.error).to.equal(undefined);
    } finally {
      await cable.stop();
      await meters.stop();
    }
  });

  it('several tags in one write are taken for BACnet alone of these', async () => {
    const both = READ | WRITE;
    const place = { host: '127.0.0.1', port: 1 };
    const nodes = [
      {
        ...{ node: 'one-104', plugin: 'IEC60870-5-104', params: place },
        ...{
          addresses: ['1', '2'],
          type: DataType.BIT,
          attribute: both,
          error: ErrorCode.WRITE_TAGS_UNSUPPORTED,
        },
      },
      {
        ...{ node: 'one-645', plugin: 'DLT645-2007' },
        params: { ...place, link: 1, connection_mode: 0, mail_address: 1, timeout: 1000 },
        ...{ addresses: ['00-01-00-00', '00-02-00-00'], type: DataType.UINT32, attribute: READ },
        error: ErrorCode.WRITE_TAGS_UNSUPPORTED,
      },
      {
        ...{ node: 'one-a11', plugin: 'NON A11', params: { ...place, connection_mode: 0, site: 1 } },
        ...{ addresses: ['3!0', '3!4'], type: DataType.UINT32, attribute: READ },
        error: ErrorCode.WRITE_TAGS_UNSUPPORTED,
      },
      {
        ...{ node: 'one-bacnet', plugin: 'BACnet/IP', params: place },
        ...{ addresses: ['AV1', 'AV2'], type: DataType.FLOAT, attribute: both },
        // There is no device, which only a driver that was asked can know.
        error: ErrorCode.DISCONNECTED,
      },
    ];
    for (const { node, plugin, params, addresses, type, attribute, error } of nodes) {
      const tags = addresses.map((address, index) => ({ name: `tag${index}`, address, attribute, type }));
      await addNode(node, plugin, params, { group: { interval: never, tags } });
      const writes = tags.map(({ name }) => ({ tag: name, value: 1 }));
      const reply = await client.call('POST', '/write/tags', { node, group: 'group', tags: writes });
      expect(reply.body.error, plugin).to.equal(error);
    }
  });
});
