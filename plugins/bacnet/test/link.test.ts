import { expect } from 'chai';
import { DataType, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import { envelope, Kind, Service } from '../src/protocol.ts';
import { areas, Property } from '../src/properties.ts';
import { until } from '@tagway/testkit';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';
import { real, Simulator } from './simulator.ts';

const AV = areas.AV as number;
const point = pointsOf('AV1');
const quick = { timeout: 150, retries: 0 };

function furnish(device: Simulator): void {
  device.value(AV, 1, real(1));
  device.value(AV, 2, real(2));
}

describe('the link', () => {
  it('reports why it is down, and is up when the device comes', async () => {
    await using device = new Simulator();
    furnish(device);
    await device.listen();
    const { port } = device;
    await device[Symbol.asyncDispose]();
    await using fixture = await fixtureAt(port, quick);
    fixture.record.shortWaits = true;
    expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
    expect(fixture.record.links.at(-1)?.report.reason).to.match(/\.$/);
    await device.listen();
    await until('the link is up', () => fixture.link === LinkState.CONNECTED);
    expect(await fixture.readings(point)).to.deep.equal([1]);
  });

  it('names the setting whose local port another program has', async () => {
    await using other = new Simulator();
    await other.listen();
    await withFixture(
      async (fixture) => {
        expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
        expect(fixture.record.links.at(-1)?.report.reason).to.equal(
          `The link to the device is down: the local port ${other.port} cannot be used: another program or node has it; choose a free one in the setting local_port (EADDRINUSE).`,
        );
      },
      { ...quick, local_port: other.port },
      furnish,
    );
  });

  it('ends when nothing is answered any more', async () => {
    await withFixture(
      async (fixture, device) => {
        expect(await fixture.readings(point)).to.deep.equal([1]);
        device.script = () => [];
        expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
        await until('it is given up', async () => {
          const [value] = await fixture.read(point);
          return isFault(value) && value.code === ErrorCode.DISCONNECTED;
        });
        fixture.record.shortWaits = true;
        device.script = undefined;
        await until('it is there again', async () => (await fixture.readings(point))[0] === 1);
      },
      quick,
      furnish,
    );
  });

  it('keeps to what a device has said of itself when it refuses to say it after a restart', async () => {
    await withFixture(
      async (fixture, device) => {
        const many = pointsOf(...Array.from({ length: 150 }, (_, at) => `AV${at}`));
        const values = Array.from({ length: 150 }, (_, at) => at);
        expect(await fixture.readings(many)).to.deep.equal(values);
        const asked = device.asked.get(Service.READ_PROPERTY_MULTIPLE);
        device.script = () => [];
        await until('it is given up', async () => {
          const [value] = await fixture.read(point);
          return isFault(value) && value.code === ErrorCode.DISCONNECTED;
        });
        fixture.record.shortWaits = true;
        device.script = ({ id, service }) => [
          envelope(Buffer.of(Kind.ERROR << 4, id, service, 0x91, 0, 0x91, 3)),
        ];
        await until('it answers, with errors', async () => {
          const [value] = await fixture.read(point);
          return isFault(value) && value.code === ErrorCode.READ_FAILED;
        });
        device.script = undefined;
        device.asked.clear();
        expect(await fixture.readings(many)).to.deep.equal(values);
        expect(device.asked.get(Service.READ_PROPERTY_MULTIPLE)).to.equal(asked);
      },
      quick,
      (device) => {
        for (let instance = 0; instance < 150; instance++) device.value(AV, instance, real(instance));
      },
    );
  });

  it('does not take a late answer for another', async () => {
    await withFixture(
      async (fixture, device) => {
        let late: Buffer | undefined;
        device.script = (_request, _data, answer) => {
          late = answer;
          return [];
        };
        expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
        const held = late;
        device.script = (_request, _data, answer) => (held === undefined ? [answer] : [held, answer]);
        expect(await fixture.readings(pointsOf('AV2'))).to.deep.equal([2]);
        expect(fixture.record.counts.get('late_frames')).to.be.greaterThan(0);
      },
      { ...quick, timeout: 300 },
      furnish,
    );
  });

  it('gives an answer to another question a fault', async () => {
    await withFixture(
      async (fixture, device) => {
        device.script = (_request, _data, answer) => {
          const other = Buffer.from(answer);
          other.writeUInt8(9, answer.indexOf(Buffer.from('0c00800001', 'hex')) + 4);
          return [other];
        };
        expect(await fixture.readings(point)).to.deep.equal([{ fault: ErrorCode.DECODE_FAILED }]);
      },
      quick,
      furnish,
    );
  });

  it('works with a device that describes nothing of itself', async () => {
    await withFixture(
      async (fixture) => {
        expect(await fixture.readings(point)).to.deep.equal([1]);
        const page = fixture.driver.browse?.(
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
