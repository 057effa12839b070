import { expect } from 'chai';
import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { Service } from '../src/protocol.ts';
import { pointsOf, withFixture } from './fixture.ts';
import { enumerated, real, text, unsigned, type Simulator } from './simulator.ts';

const area = (name: string): number => areas[name] as number;

function furnish(device: Simulator): void {
  for (let instance = 1; instance < 60; instance++) device.value(area('AV'), instance, real(0));
  device.value(area('BO'), 1, enumerated(0));
  device.value(area('MSV'), 1, unsigned(1));
  device.object(area('AO'), 1, {
    [Property.PRESENT_VALUE]: real(1),
    [Property.DESCRIPTION]: text(''),
    81: Buffer.of(0x10),
    512: unsigned(0),
  });
}

const hex = (device: Simulator): string[] => device.written.map(({ data }) => data.toString('hex'));

describe('writing', () => {
  it('encodes each value as its property wants it, with a priority', async () => {
    await withFixture(
      async (fixture, device) => {
        const points = pointsOf(
          'AV1',
          ['BO1', DataType.BOOL],
          ['MSV1', DataType.UINT16],
          ['AO1.Description', DataType.STRING],
          ['AO1.Out_Of_Service', DataType.BIT],
          ['AO1.custom.512', DataType.INT16],
          'AO1@8',
          ['AO1.NULL@8', DataType.FLOAT],
        );
        expect(await fixture.write(points, [21.5, true, 300, 'Süd', 1, -2, 4, 0])).to.deep.equal(
          points.map(() => undefined),
        );
        expect(hex(device)).to.deep.equal([
          '4441ac0000',
          '9101',
          '22012c',
          '75050053c3bc64',
          '11',
          '31fe',
          '4440800000',
          '00',
        ]);
        expect(device.written.map(({ priority }) => priority)).to.deep.equal([9, 9, 9, 9, 9, 9, 8, 8]);
        expect(device.asked.get(Service.WRITE_PROPERTY_MULTIPLE)).to.equal(1);
      },
      { write_priority: 9 },
      furnish,
    );
  });

  it('gives each of many writes its own result, whichever the device refuses', async () => {
    for (const isMultiple of [true, false]) {
      await withFixture(
        async (fixture, device) => {
          const points = pointsOf('AV1', 'AV99', 'AV2', ['AV3.Object_Name', DataType.STRING], 'AV4', 'AV4');
          const faults = await fixture.write(points, [1, 2, 3, 'x', 4, 5]);
          expect(faults.map((fault) => fault?.code)).to.deep.equal([
            ...[undefined, ErrorCode.WRITE_FAILED, undefined],
            ...[ErrorCode.WRITE_FAILED, undefined, undefined],
          ]);
          expect(await fixture.readings(pointsOf('AV1', 'AV2', 'AV4'))).to.deep.equal([1, 3, 5]);
          expect(device.written).to.have.length(4);
        },
        {},
        (device) => {
          furnish(device);
          if (!isMultiple) device.services.delete(16);
          device.isTalkative = isMultiple;
        },
      );
    }
  });

  it('makes no request larger than the device takes', async () => {
    await withFixture(
      async (fixture, device) => {
        const points = pointsOf(...Array.from({ length: 50 }, (_, at) => `AV${at + 1}`));
        device.packets.length = 0;
        expect(
          await fixture.write(
            points,
            points.map((_, at) => at),
          ),
        ).to.deep.equal(points.map(() => undefined));
        expect(Math.max(...device.packets.map(({ bytes }) => bytes.length - 6))).to.be.at.most(128);
        expect(await fixture.readings(points)).to.deep.equal(points.map((_, at) => at));
        // What no request has room for costs its neighbours nothing.
        device.written.length = 0;
        const three = pointsOf('AV1', ['AO1.Description', DataType.STRING], 'AV2');
        const faults = await fixture.write(three, [7, 'x'.repeat(200), 8]);
        expect(faults.map((fault) => fault?.code)).to.deep.equal([
          ...[undefined, ErrorCode.VALUE_OUT_OF_RANGE, undefined],
        ]);
        expect(faults[1]?.message).to.include('128 bytes');
        expect(hex(device)).to.deep.equal(['4440e00000', '4441000000']);
      },
      {},
      (device) => {
        furnish(device);
        device.maxApdu = 128;
      },
    );
  });

  it('sends nothing that does not fit', async () => {
    await withFixture(
      async (fixture, device) => {
        const points = pointsOf(
          'AV1',
          ['BO1', DataType.UINT8],
          ['MSV1', DataType.INT16],
          ['AO1.Description', DataType.FLOAT],
          ['AV1', DataType.DOUBLE],
        );
        const faults = await fixture.write(points, [NaN, 2, -1, 1, 1e300]);
        expect(faults.map((fault) => fault?.code)).to.deep.equal([
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.TYPE_MISMATCH,
          ErrorCode.VALUE_OUT_OF_RANGE,
        ]);
        expect(device.written).to.deep.equal([]);
      },
      {},
      furnish,
    );
  });

  it('says of what was sent and not answered that it may have been written, and sends it no more', async () => {
    for (const service of [Service.WRITE_PROPERTY_MULTIPLE, Service.WRITE_PROPERTY]) {
      await withFixture(
        async (fixture, device) => {
          // The device writes the values, and its answers are lost.
          device.script = (request, _data, answer) => (request.service === service ? [] : [answer]);
          const points = pointsOf('AV1', 'AV2', 'AV3').slice(0, service === Service.WRITE_PROPERTY ? 1 : 3);
          const faults = await fixture.write(points, [1, 2, 3]);
          for (const fault of faults) {
            expect(fault?.code).to.equal(ErrorCode.NO_RESPONSE);
            expect(fault?.message).to.include('may have written the value or not');
          }
          const asked = [Service.WRITE_PROPERTY, Service.WRITE_PROPERTY_MULTIPLE].map((one) =>
            device.asked.get(one),
          );
          // Once, and once more as a retry with the same id, which a device knows for what it is.
          expect(asked).to.deep.equal(service === Service.WRITE_PROPERTY ? [2, undefined] : [undefined, 2]);
          expect(await fixture.readings(pointsOf('AV1'))).to.deep.equal([1]);
        },
        { timeout: 250, retries: 1 },
        furnish,
      );
    }
  });

  it('says the same when the link goes meanwhile, and of what was not sent that there is no link', async () => {
    await withFixture(
      async (fixture, device) => {
        // The device dies over the first request, and the port that the retry goes to is closed.
        device.script = () => {
          void device[Symbol.asyncDispose]();
          return [];
        };
        const faults = await fixture.write(pointsOf('AV1', 'AV2', 'AV1'), [1, 2, 3]);
        expect(fixture.link).to.equal(LinkState.DISCONNECTED);
        expect(faults.map((fault) => fault?.code)).to.deep.equal([
          ...[ErrorCode.NO_RESPONSE, ErrorCode.NO_RESPONSE, ErrorCode.DISCONNECTED],
        ]);
      },
      { timeout: 500, retries: 8 },
      furnish,
    );
  });
});
