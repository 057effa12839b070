import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { Service } from '../src/protocol.ts';
import { until } from '@tagway/testkit';
import { pointsOf, withPlant } from './plant.ts';
import { enumerated, real, text, unsigned, type Simulator } from './simulator.ts';

const area = (name: string): number => areas[name] as number;

function furnish(device: Simulator): void {
  device.value(area('AI'), 1, real(21.5));
  device.value(area('BI'), 2, enumerated(1));
  device.value(area('MSV'), 3, unsigned(7));
  device.object(area('AV'), 4, {
    [Property.PRESENT_VALUE]: real(-1),
    [Property.OBJECT_NAME]: text('Vorlauf Süd'),
    [Property.UNITS]: enumerated(62),
    [Property.STATUS_FLAGS]: Buffer.of(0x82, 4, 0b0101_0000),
    81: Buffer.of(0x11),
    87: [Buffer.of(0), real(3.5)],
    512: Buffer.of(0x35, 7, 0x80, 0, 0, 0, 0, 0, 1),
    513: Buffer.of(0x63, 1, 2, 3),
    514: Buffer.of(0x55, 8, 0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18),
    515: Buffer.of(0x2e, 0x21, 5, 0x2f),
    516: Buffer.of(0xa4, 124, 2, 29, 4),
    517: Buffer.of(0x25, 8, 255, 255, 255, 255, 255, 255, 255, 255),
  });
}

const tags = [
  ['AI1', DataType.FLOAT, 21.5],
  ['BI2', DataType.BIT, 1],
  ['BI2', DataType.BOOL, 1],
  ['MSV3', DataType.UINT8, 7],
  ['AV4', DataType.DOUBLE, -1],
  ['AV4.Object_Name', DataType.STRING, 'Vorlauf Süd'],
  ['AV4.units', DataType.UINT16, 62],
  ['AV4.Status_Flags', DataType.UINT8, 0b1010],
  ['AV4.Status_Flags', DataType.STRING, '0101'],
  ['AV4.Out_Of_Service', DataType.BOOL, 1],
  ['AV4.Priority_Array[2]', DataType.FLOAT, 3.5],
  ['AV4.Priority_Array[1]', DataType.FLOAT, { fault: ErrorCode.READ_FAILED }],
  ['AV4.Priority_Array', DataType.FLOAT, { fault: ErrorCode.TYPE_MISMATCH }],
  ['AV4.Priority_Array[3]', DataType.FLOAT, { fault: ErrorCode.READ_FAILED }],
  ['AV4.custom.512', DataType.INT64, -(2n ** 55n) + 1n],
  ['AV4.custom.513', DataType.BYTES, Uint8Array.of(1, 2, 3)],
  ['AV4.custom.514', DataType.DOUBLE, Math.PI],
  ['AV4.custom.515', DataType.INT8, { fault: ErrorCode.TYPE_MISMATCH }],
  ['AV4.custom.516', DataType.STRING, '2024-02-29'],
  ['AV4.custom.517', DataType.UINT64, 2n ** 64n - 1n],
  ['AV4.custom.517', DataType.INT64, { fault: ErrorCode.VALUE_OUT_OF_RANGE }],
  ['AI9', DataType.FLOAT, { fault: ErrorCode.READ_FAILED }],
  ['AI1.Location', DataType.STRING, { fault: ErrorCode.READ_FAILED }],
  ['MSV3.Object_Name', DataType.UINT8, { fault: ErrorCode.TYPE_MISMATCH }],
  ['DEV77.Object_Identifier', DataType.STRING, 'DEV77'],
] as const;
const points = pointsOf(...tags.map(([address, type]) => [address, type] as const));
const expected = tags.map(([, , value]) => value);

describe('reading', () => {
  it('gives every point its value or its own fault, in one request where the device can', async () => {
    await withPlant(
      async (plant, device) => {
        expect(await plant.readings(points)).to.deep.equal(expected);
        expect(device.asked.get(Service.READ_PROPERTY_MULTIPLE)).to.equal(1);
      },
      {},
      furnish,
    );
  });

  for (const maxApdu of [50, 128, 206, 480]) {
    it(`keeps to an APDU of ${maxApdu} bytes`, async () => {
      await withPlant(
        async (plant, device) => {
          for (let instance = 100; instance < 200; instance++)
            device.value(area('AI'), instance, real(instance));
          const many = pointsOf(...Array.from({ length: 100 }, (_, at) => `AI${100 + at}`));
          device.packets.length = 0;
          expect(await plant.readings(many)).to.deep.equal(many.map((_, at) => 100 + at));
          expect(Math.max(...device.packets.map(({ bytes }) => bytes.length - 6))).to.be.at.most(maxApdu);
          const most = { 50: 50, 128: 15, 206: 9, 480: 4 }[maxApdu] ?? 0;
          expect(device.asked.get(Service.READ_PROPERTY_MULTIPLE)).to.be.at.most(most);
        },
        {},
        (device) => void (device.maxApdu = maxApdu),
      );
    });
  }

  it('reads one by one where the device has nothing else, and remembers what it refuses', async () => {
    await withPlant(
      async (plant, device) => {
        expect(await plant.readings(points)).to.deep.equal(expected);
        const refused = tags.filter(([address]) =>
          ['AI9', 'AI1.Location', 'AV4.Priority_Array[3]'].includes(address),
        ).length;
        device.asked.clear();
        expect(await plant.readings(points)).to.deep.equal(expected);
        expect(device.asked.get(Service.READ_PROPERTY)).to.equal(tags.length - refused);
        plant.record.later += 11_000;
        await plant.readings(points);
        expect(device.asked.get(Service.READ_PROPERTY)).to.equal(2 * tags.length - refused);
      },
      {},
      (device) => {
        furnish(device);
        device.services.delete(14);
      },
    );
  });

  it('finds out by a reject that the device cannot read many at once', async () => {
    await withPlant(
      async (plant, device) => {
        expect(await plant.readings(points)).to.deep.equal(expected);
        await plant.readings(points);
        expect(device.asked.get(Service.READ_PROPERTY_MULTIPLE)).to.equal(1);
      },
      {},
      (device) => {
        furnish(device);
        device.services.delete(14);
        device.isTalkative = false;
      },
    );
  });

  it('halves what the device cannot send in one piece, and keeps to that', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `AV${at}.Description`);
    await withPlant(
      async (plant, device) => {
        const many = pointsOf(...names.map((name) => [name, DataType.STRING] as const));
        const long = names.map((_, at) => `${at}`.padEnd(200, 'x'));
        expect(await plant.readings(many)).to.deep.equal(long);
        device.packets.length = 0;
        expect(await plant.readings(many)).to.deep.equal(long);
        const abort = 7;
        expect(device.packets.filter(({ bytes }) => (bytes[6] as number) >> 4 === abort)).to.deep.equal([]);
      },
      {},
      (device) => {
        device.maxApdu = 1000;
        for (const at of names.keys())
          device.object(area('AV'), at, { [Property.DESCRIPTION]: text(`${at}`.padEnd(200, 'x')) });
      },
    );
  });

  it('puts segmented answers together, also when a segment was lost', async () => {
    await withPlant(
      async (plant, device) => {
        const point = pointsOf(['AV1.Description', DataType.STRING]);
        const value = '0123456789'.repeat(200);
        expect(await plant.readings(point)).to.deep.equal([value]);
        let dropped = 0;
        const send = device.send.bind(device);
        device.send = (bytes, to) => {
          // The third segment, once.
          const isSegment = (bytes[6] as number) >> 3 === 0x07 && bytes[8] === 2;
          if (isSegment && dropped++ === 0) return;
          send(bytes, to);
        };
        expect(await plant.readings(point)).to.deep.equal([value]);
        expect(dropped).to.be.greaterThan(1);
      },
      {},
      (device) => {
        device.maxApdu = 206;
        device.segments = true;
        device.object(area('AV'), 1, { [Property.DESCRIPTION]: text('0123456789'.repeat(200)) });
      },
    );
  });

  it('sends again what was lost, and drops an answer that comes twice', async () => {
    await withPlant(
      async (plant, device) => {
        device.deaf.set(Service.READ_PROPERTY_MULTIPLE, 2);
        expect(await plant.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        device.script = (_request, _data, answer) => [answer, answer];
        expect(await plant.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        await until(
          'the second answer is counted',
          () => (plant.record.counts.get('foreign_frames') ?? 0) > 0,
        );
      },
      { timeout: 200 },
      furnish,
    );
  });

  it('reads a device behind a router, and nobody else there', async () => {
    const route = { network: 2001, mac: Buffer.of(0x0a) };
    await withPlant(
      async (plant, device) => {
        expect(await plant.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        const sent = device.packets.find(({ fromClient }) => fromClient)?.bytes;
        expect(sent?.subarray(4, 11).toString('hex')).to.equal('012407d1010aff');
        device.route = { network: 2001, mac: Buffer.of(0x0b) };
        expect(await plant.readings(pointsOf('AI1'))).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
      },
      { network: 2001, mac: '0A', timeout: 150, retries: 0 },
      (device) => {
        furnish(device);
        device.route = route;
      },
    );
  });

  it('refuses a device that is not the one of the settings', async () => {
    await withPlant(
      async (plant) => {
        await until('the reason is told', () =>
          plant.record.links.some(({ report }) => report.reason?.includes('device 78') === true),
        );
        expect(await plant.readings(pointsOf('AI1'))).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
      },
      { device_id: 78 },
      furnish,
    );
  });

  it('does not let a test read change what production remembers', async () => {
    await withPlant(
      async (plant) => {
        expect(await plant.readings(pointsOf('AI1'), 'test')).to.deep.equal([21.5]);
        expect(await plant.readings(pointsOf('AI5'), 'test')).to.deep.equal([
          { fault: ErrorCode.READ_FAILED },
        ]);
      },
      {},
      furnish,
    );
  });
});
