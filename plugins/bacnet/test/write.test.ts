import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { Service } from '../src/protocol.ts';
import { pointsOf, withPlant } from './plant.ts';
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
    await withPlant(
      async (plant, device) => {
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
        expect(await plant.write(points, [21.5, true, 300, 'Süd', 1, -2, 4, 0])).to.deep.equal(
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
      await withPlant(
        async (plant, device) => {
          const points = pointsOf('AV1', 'AV99', 'AV2', ['AV3.Object_Name', DataType.STRING], 'AV4', 'AV4');
          const faults = await plant.write(points, [1, 2, 3, 'x', 4, 5]);
          expect(faults.map((fault) => fault?.code)).to.deep.equal([
            ...[undefined, ErrorCode.WRITE_FAILED, undefined],
            ...[ErrorCode.WRITE_FAILED, undefined, undefined],
          ]);
          expect(await plant.values(pointsOf('AV1', 'AV2', 'AV4'))).to.deep.equal([1, 3, 5]);
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
    await withPlant(
      async (plant, device) => {
        const points = pointsOf(...Array.from({ length: 50 }, (_, at) => `AV${at + 1}`));
        device.packets.length = 0;
        expect(
          await plant.write(
            points,
            points.map((_, at) => at),
          ),
        ).to.deep.equal(points.map(() => undefined));
        expect(Math.max(...device.packets.map(({ bytes }) => bytes.length - 6))).to.be.at.most(128);
        expect(await plant.values(points)).to.deep.equal(points.map((_, at) => at));
        const [fault] = await plant.write(pointsOf(['AO1.Description', DataType.STRING]), ['x'.repeat(200)]);
        expect(fault?.code).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
      },
      {},
      (device) => {
        furnish(device);
        device.maxApdu = 128;
      },
    );
  });

  it('sends nothing that does not fit', async () => {
    await withPlant(
      async (plant, device) => {
        const points = pointsOf(
          'AV1',
          ['BO1', DataType.UINT8],
          ['MSV1', DataType.INT16],
          ['AO1.Description', DataType.FLOAT],
          ['AV1', DataType.DOUBLE],
        );
        const faults = await plant.write(points, [NaN, 2, -1, 1, 1e300]);
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
});
