import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { DataType, ErrorCode, isFault, type BrowseEntry } from '@tagway/sdk';
import { areas, objectOf, Property } from '../src/properties.ts';
import { Bvlc, envelope, Pdu, Unconfirmed } from '../src/protocol.ts';
import { iAm } from './bbmd.ts';
import { callOf } from '@tagway/testkit';
import { fixtureAt, type Fixture, withFixture } from './fixture.ts';
import { enumerated, real, text, unsigned, type Simulator } from './simulator.ts';

const AV = areas.AV as number;

function furnish(device: Simulator): void {
  for (let instance = 0; instance < 250; instance++)
    device.object(AV, instance, {
      [Property.OBJECT_NAME]: text(`zone ${instance}`),
      [Property.DESCRIPTION]: text('temperature'),
      [Property.UNITS]: enumerated(62),
      [Property.PRESENT_VALUE]: real(instance),
    });
  // A trend log, for which there is no area.
  device.object(20, 1, { [Property.OBJECT_NAME]: text('log') });
}

async function all(fixture: Fixture, id: string): Promise<BrowseEntry[]> {
  const entries: BrowseEntry[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 20; pages++) {
    const page = await fixture.driver.browse?.(
      { id, ...(cursor !== undefined && { cursor }) },
      callOf('demand'),
    );
    entries.push(...(page?.entries ?? []));
    cursor = page?.cursor;
    if (cursor === undefined) break;
  }
  return entries;
}

describe('browsing', () => {
  for (const segments of [true, false]) {
    it(`lists all objects, ${segments ? 'from one answer in segments' : 'one by one where the list is too large'}`, async () => {
      await withFixture(
        async (fixture) => {
          const entries = await all(fixture, '');
          expect(entries).to.have.length(1 + 1 + 250);
          expect(entries.at(-1)).to.deep.equal({
            name: 'zone 249',
            id: 'AV249',
            readable: true,
            type: DataType.FLOAT,
            description: 'temperature',
            unit: '°C',
          });
        },
        { max_in_flight: 16 },
        (device) => {
          furnish(device);
          device.maxApdu = 480;
          device.segments = segments;
        },
      );
    });
  }

  it('lists the properties of an object, and says when there is none', async () => {
    await withFixture(
      async (fixture) => {
        const entries = await all(fixture, 'AV1');
        expect(entries.map(({ id }) => id)).to.deep.equal([
          'AV1.Object_Name',
          'AV1.Present_Value',
          'AV1.Units',
        ]);
        for (const id of ['AV999', 'nothing', 'AV1.Units']) {
          const fault = await fixture.driver
            .browse?.({ id }, callOf('demand'))
            .catch((error: unknown) => error);
          if (!isFault(fault)) throw new Error(`"${id}" was listed.`);
          expect(fault.code).to.equal(ErrorCode.READ_FAILED);
        }
      },
      {},
      (device) => {
        furnish(device);
        const list = [85, 117, 9999].map(unsigned);
        device.objects.get(objectOf(AV, 1))?.set(Property.PROPERTY_LIST, list);
      },
    );
  });

  it('says when the port to listen at is taken', async () => {
    const other = createSocket('udp4');
    other.bind(0);
    await once(other, 'listening');
    try {
      await withFixture(
        async (fixture) => {
          const fault = await fixture.driver
            .browse?.({ id: 'network' }, callOf('demand'))
            .catch((e: unknown) => e);
          if (!isFault(fault)) throw new Error('The port could be used.');
          expect(fault.message).to.include('discovery_port');
        },
        { discovery_port: other.address().port },
        furnish,
      );
    } finally {
      other.close();
    }
  });

  it('finds devices on the network', async () => {
    const far = createSocket('udp4');
    const heard: number[] = [];
    const pdu = new Pdu();
    far.on('message', (data, { port, address }) => {
      heard.push(data[1] as number);
      if (!pdu.parse(data, 0, data.length) || pdu.service !== Unconfirmed.WHO_IS) return;
      far.send(envelope(iAm(5)), port, address);
      far.send(Buffer.from('8104000c0a000009bac00120', 'hex'), port, address);
    });
    far.bind(0, '127.0.0.1');
    await once(far, 'listening');
    try {
      await using fixture = await fixtureAt(far.address().port, { timeout: 150, retries: 0 });
      expect(await all(fixture, 'network')).to.deep.equal([
        {
          name: 'Device 5',
          id: 'network/5',
          readable: false,
          type: 0,
          description: `host 127.0.0.1, port ${far.address().port}, vendor 260`,
        },
      ]);
      expect(heard).to.include(Bvlc.BROADCAST);
      expect(fixture.record.counts.get('malformed_frames')).to.be.greaterThan(0);
    } finally {
      far.close();
    }
  });
});
