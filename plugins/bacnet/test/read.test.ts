import { expect } from 'chai';
import { DataType, ErrorCode, isFault } from '@tagway/sdk';
import { objectBytes } from '../src/encoding.ts';
import { RejectReason } from '../src/faults.ts';
import { areas, objectOf, Property } from '../src/properties.ts';
import { envelope, Kind, Service, type Pdu } from '../src/protocol.ts';
import { until } from '@tagway/testkit';
import { pointsOf, withFixture, type Fixture } from './fixture.ts';
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
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(points)).to.deep.equal(expected);
        expect(device.asked.get(Service.READ_PROPERTY_MULTIPLE)).to.equal(1);
      },
      {},
      furnish,
    );
  });

  it('names the type that the device has when it does not fit that of the tag', async () => {
    await withFixture(
      async (fixture) => {
        const wrong = pointsOf(
          ['AI1', DataType.INT16],
          ['AV4.Object_Name', DataType.UINT8],
          ['MSV3', DataType.BYTES],
        );
        const messages = (await fixture.read(wrong)).map((value) => (isFault(value) ? value.message : ''));
        expect(messages[0]).to.match(/a Real here, .* INT16 .*FLOAT or DOUBLE/);
        expect(messages[1]).to.match(/a CharacterString here, .* UINT8 .*STRING/);
        expect(messages[2]).to.match(/an Unsigned here, .* BYTES/);
      },
      {},
      furnish,
    );
  });

  it('shows dates and times that may be, also those with parts that may be any', async () => {
    const all = [
      ['AV4.custom.518', DataType.STRING, { fault: ErrorCode.DECODE_FAILED }],
      ['AV4.custom.519', DataType.STRING, '****-13-32'],
      ['AV4.custom.520', DataType.STRING, { fault: ErrorCode.DECODE_FAILED }],
      ['AV4.custom.521', DataType.STRING, { fault: ErrorCode.DECODE_FAILED }],
      ['AV4.custom.522', DataType.STRING, '23:59:**.**'],
      ['AV4.custom.523', DataType.STRING, '****-02-29'],
    ] as const;
    await withFixture(
      async (fixture) => {
        const points = pointsOf(...all.map(([address, type]) => [address, type] as const));
        expect(await fixture.readings(points)).to.deep.equal(all.map(([, , value]) => value));
      },
      {},
      (device) =>
        void device.object(area('AV'), 4, {
          // 30 February 2023, the last day of any odd month, 31 June of any year, 25 o'clock.
          518: Buffer.of(0xa4, 123, 2, 30, 255),
          519: Buffer.of(0xa4, 255, 13, 32, 255),
          520: Buffer.of(0xa4, 255, 6, 31, 255),
          521: Buffer.of(0xb4, 25, 0, 0, 0),
          522: Buffer.of(0xb4, 23, 59, 255, 255),
          523: Buffer.of(0xa4, 255, 2, 29, 255),
        }),
    );
  });

  for (const maxApdu of [50, 128, 206, 480]) {
    it(`keeps to an APDU of ${maxApdu} bytes`, async () => {
      await withFixture(
        async (fixture, device) => {
          for (let instance = 100; instance < 200; instance++)
            device.value(area('AI'), instance, real(instance));
          const many = pointsOf(...Array.from({ length: 100 }, (_, at) => `AI${100 + at}`));
          device.packets.length = 0;
          expect(await fixture.readings(many)).to.deep.equal(many.map((_, at) => 100 + at));
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
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(points)).to.deep.equal(expected);
        const refused = tags.filter(([address]) =>
          ['AI9', 'AI1.Location', 'AV4.Priority_Array[3]'].includes(address),
        ).length;
        device.asked.clear();
        expect(await fixture.readings(points)).to.deep.equal(expected);
        expect(device.asked.get(Service.READ_PROPERTY)).to.equal(tags.length - refused);
        fixture.record.clockOffset += 11_000;
        await fixture.readings(points);
        expect(device.asked.get(Service.READ_PROPERTY)).to.equal(2 * tags.length - refused);
      },
      {},
      (device) => {
        furnish(device);
        device.services.delete(14);
      },
    );
  });

  const busy = ({ id, service }: Pdu): readonly Buffer[] => [
    // Error 0/3: configuration in progress.
    envelope(Buffer.of(Kind.ERROR << 4, id, service, 0x91, 0, 0x91, 3)),
  ];
  const unknownService = ({ id }: Pdu): readonly Buffer[] => [
    envelope(Buffer.of(Kind.REJECT << 4, id, RejectReason.UNRECOGNIZED_SERVICE)),
  ];
  for (const [what, refusal, absent] of [
    ['errors', busy, 0],
    ['errors, and never reads many at once,', busy, 14],
    ['rejects', unknownService, 0],
  ] as const) {
    it(`asks as before soon after a device has answered everything with ${what} for two minutes`, async () => {
      await withFixture(
        async (fixture, device) => {
          const groups = [0, 150].map((from) =>
            pointsOf(...Array.from({ length: 150 }, (_, at) => `AI${from + at}`)),
          );
          const pass = async (): Promise<readonly unknown[]> => {
            device.asked.clear();
            fixture.record.clockOffset += 1000;
            return (await Promise.all(groups.map((group) => fixture.readings(group)))).flat();
          };
          const all = Array.from({ length: 300 }, (_, at) => at);
          expect(await pass()).to.deep.equal(all);
          const usual = new Map(device.asked);
          device.script = (request) => refusal(request);
          for (let second = 0; second < 120; second++)
            expect(new Set((await pass()).map((one) => JSON.stringify(one)))).to.deep.equal(
              new Set([JSON.stringify({ fault: ErrorCode.READ_FAILED })]),
            );
          device.script = undefined;
          for (let second = 0; second < 12; second++) await pass();
          expect(await pass()).to.deep.equal(all);
          expect(device.asked).to.deep.equal(usual);
        },
        {},
        (device) => {
          device.services.delete(absent);
          device.maxApdu = 480;
          for (let instance = 0; instance < 300; instance++)
            device.value(area('AI'), instance, real(instance));
        },
      );
    });
  }

  it('puts requests together again that were refused for a while, and not those with a tag that is refused', async () => {
    let isBusy = true;
    await withFixture(
      async (fixture, device) => {
        const many = pointsOf(...Array.from({ length: 40 }, (_, at) => `AI${at}`));
        // Such a device refuses all of a request for one of its objects.
        device.script = (request, data, answer) => {
          const body = data.subarray(request.start, request.end);
          const names = (object: number): boolean => body.includes(objectBytes(object));
          return names(objectOf(area('AI'), 7)) || (isBusy && names(objectOf(area('AI'), 30)))
            ? busy(request)
            : [answer];
        };
        const refused = (faulty: readonly number[]): unknown[] =>
          many.map((_, at) => (faulty.includes(at) ? { fault: ErrorCode.READ_FAILED } : at));
        const count = async (): Promise<number> => {
          device.asked.clear();
          await fixture.readings(many);
          return [...device.asked.values()].reduce((sum, asked) => sum + asked, 0);
        };
        expect(await fixture.readings(many)).to.deep.equal(refused([7, 30]));
        const split = await count();
        isBusy = false;
        fixture.record.clockOffset += 11_000;
        expect(await fixture.readings(many)).to.deep.equal(refused([7]));
        fixture.record.clockOffset += 1000;
        expect(await count()).to.be.lessThan(split);
        const joined = await count();
        fixture.record.clockOffset += 21_000;
        expect(await fixture.readings(many), 'nobody pays for the next try').to.deep.equal(refused([7]));
        expect(await count()).to.equal(joined);
      },
      {},
      (device) => {
        for (let instance = 0; instance < 40; instance++) device.value(area('AI'), instance, real(instance));
      },
    );
  });

  it('finds out by a reject that the device cannot read many at once', async () => {
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(points)).to.deep.equal(expected);
        await fixture.readings(points);
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
    await withFixture(
      async (fixture, device) => {
        const many = pointsOf(...names.map((name) => [name, DataType.STRING] as const));
        const long = names.map((_, at) => `${at}`.padEnd(200, 'x'));
        expect(await fixture.readings(many)).to.deep.equal(long);
        device.packets.length = 0;
        expect(await fixture.readings(many)).to.deep.equal(long);
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
    await withFixture(
      async (fixture, device) => {
        const point = pointsOf(['AV1.Description', DataType.STRING]);
        const value = '0123456789'.repeat(200);
        expect(await fixture.readings(point)).to.deep.equal([value]);
        let dropped = 0;
        const send = device.send.bind(device);
        device.send = (bytes, to) => {
          // The third segment, once.
          const isSegment = (bytes[6] as number) >> 3 === 0x07 && bytes[8] === 2;
          if (isSegment && dropped++ === 0) return;
          send(bytes, to);
        };
        expect(await fixture.readings(point)).to.deep.equal([value]);
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
    await withFixture(
      async (fixture, device) => {
        device.deaf.set(Service.READ_PROPERTY_MULTIPLE, 2);
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        device.script = (_request, _data, answer) => [answer, answer];
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        await until(
          'the second answer is counted',
          () => (fixture.record.counts.get('foreign_frames') ?? 0) > 0,
        );
      },
      { timeout: 200 },
      furnish,
    );
  });

  it('reads a device behind a router, and no other one there', async () => {
    const route = { network: 2001, mac: Buffer.of(0x0a) };
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        const sent = device.packets.find(({ fromClient }) => fromClient)?.bytes;
        expect(sent?.subarray(4, 11).toString('hex')).to.equal('012407d1010aff');
        device.route = { network: 2001, mac: Buffer.of(0x0b) };
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
      },
      { network: 2001, mac: '0A', timeout: 150, retries: 0 },
      (device) => {
        furnish(device);
        device.route = route;
      },
    );
  });

  it('says that the router knows no such network, at once and when it forgets it later', async () => {
    // Reject-Message-To-Network, reason 1, network 2001; the same with reason 2: the router is busy.
    const reject = Buffer.from('810a000a0180030107d1', 'hex');
    const busyRouter = Buffer.from('810a000a0180030207d1', 'hex');
    const other = Buffer.from('810a000a0180030107d2', 'hex');
    const settings = { network: 2001, mac: '0A', timeout: 150, retries: 0 };
    const sentence = /the router 127\.0\.0\.1:\d+ knows no network 2001; check the setting network/;
    const reasonOf = ({ record }: Fixture): string =>
      record.links.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        device.script = (_request, _data, answer) => [other, busyRouter, answer];
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([21.5]);
        device.script = () => [reject];
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
        expect(reasonOf(fixture)).to.match(sentence);
      },
      settings,
      (device) => {
        furnish(device);
        device.route = { network: 2001, mac: Buffer.of(0x0a) };
      },
    );
    await withFixture(
      async (fixture) => {
        await until('the reason is reported', () => sentence.test(reasonOf(fixture)));
      },
      settings,
      (device) => void (device.script = () => [reject]),
    );
  });

  it('refuses a device that is not the one of the settings', async () => {
    await withFixture(
      async (fixture) => {
        await until('the reason is reported', () =>
          fixture.record.links.some(({ report }) => report.reason?.includes('device 78') === true),
        );
        expect(await fixture.readings(pointsOf('AI1'))).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
      },
      { device_id: 78 },
      furnish,
    );
  });

  it('does not let a test read change what production remembers', async () => {
    await withFixture(
      async (fixture) => {
        expect(await fixture.readings(pointsOf('AI1'), 'test')).to.deep.equal([21.5]);
        expect(await fixture.readings(pointsOf('AI5'), 'test')).to.deep.equal([
          { fault: ErrorCode.READ_FAILED },
        ]);
      },
      {},
      furnish,
    );
  });
});
