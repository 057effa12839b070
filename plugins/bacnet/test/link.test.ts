import { expect } from 'chai';
import { DataType, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { until } from '@tagway/testkit';
import { plantAt, pointsOf, withPlant } from './plant.ts';
import { real, Simulator } from './simulator.ts';

const AV = areas.AV as number;
const point = pointsOf('AV1');
const quick = { timeout: 150, retries: 0 };

function furnish(device: Simulator): void {
  device.value(AV, 1, real(1));
  device.value(AV, 2, real(2));
}

describe('the link', () => {
  it('tells why there is none, and is there when the device comes', async () => {
    await using device = new Simulator();
    furnish(device);
    await device.listen();
    const { port } = device;
    await device[Symbol.asyncDispose]();
    await using plant = await plantAt(port, quick);
    plant.record.hurry = true;
    expect(await plant.readings(point)).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
    expect(plant.record.links.at(-1)?.report.reason).to.match(/\.$/);
    await device.listen();
    await until('the link is up', () => plant.link === LinkState.CONNECTED);
    expect(await plant.readings(point)).to.deep.equal([1]);
  });

  it('ends when nothing is answered any more', async () => {
    await withPlant(
      async (plant, device) => {
        expect(await plant.readings(point)).to.deep.equal([1]);
        device.script = () => [];
        expect(await plant.readings(point)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
        await until('it is given up', async () => {
          const [value] = await plant.read(point);
          return isFault(value) && value.code === ErrorCode.DISCONNECTED;
        });
        plant.record.hurry = true;
        device.script = undefined;
        await until('it is there again', async () => (await plant.readings(point))[0] === 1);
      },
      quick,
      furnish,
    );
  });

  it('does not take a late answer for another', async () => {
    await withPlant(
      async (plant, device) => {
        let late: Buffer | undefined;
        device.script = (_request, _data, answer) => {
          late = answer;
          return [];
        };
        expect(await plant.readings(point)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
        const held = late;
        device.script = (_request, _data, answer) => (held === undefined ? [answer] : [held, answer]);
        expect(await plant.readings(pointsOf('AV2'))).to.deep.equal([2]);
        expect(plant.record.counts.get('late_frames')).to.be.greaterThan(0);
      },
      { ...quick, timeout: 300 },
      furnish,
    );
  });

  it('gives an answer to another question a fault', async () => {
    await withPlant(
      async (plant, device) => {
        device.script = (_request, _data, answer) => {
          const other = Buffer.from(answer);
          other.writeUInt8(9, answer.indexOf(Buffer.from('0c00800001', 'hex')) + 4);
          return [other];
        };
        expect(await plant.readings(point)).to.deep.equal([{ fault: ErrorCode.DECODE_FAILED }]);
      },
      quick,
      furnish,
    );
  });

  it('works with a device that tells nothing of itself', async () => {
    await withPlant(
      async (plant) => {
        expect(await plant.readings(point)).to.deep.equal([1]);
        const page = plant.driver.browse?.(
          { id: 'AV1' },
          { cause: 'demand', signal: AbortSignal.timeout(5000) },
        );
        expect((await page)?.entries.map(({ id }) => id)).to.deep.equal([
          ...['AV1.Object_Name', 'AV1.Present_Value', 'AV1.Status_Flags'],
        ]);
        expect((await page)?.type).to.equal(DataType.FLOAT);
      },
      quick,
      (device) => {
        furnish(device);
        device.isTalkative = false;
        device.objects.get(8 * 2 ** 22 + device.device)?.delete(Property.OBJECT_IDENTIFIER);
      },
    );
  });
});
