import { expect } from 'chai';
import {
  Attribute,
  DataType,
  ErrorCode,
  isFault,
  LinkState,
  Quality,
  type Report,
  type Watch,
} from '@tagway/sdk';
import { areas, objectOf, Property } from '../src/properties.ts';
import { Service } from '../src/protocol.ts';
import type { Settings } from '../src/settings.ts';
import { until } from '@tagway/testkit';
import { idleFixtureAt, fixtureAt, pointsOf, type Fixture } from './fixture.ts';
import { real, Simulator } from './simulator.ts';

const AV = areas.AV as number;

/** Keeps what was reported, in order. */
class Reports implements Report {
  readonly values: string[] = [];
  sent = 0;
  readonly drained = Promise.resolve();

  number(index: number, value: number): void {
    this.values.push(`${index}=${value}`);
  }

  integer(index: number, value: bigint): void {
    this.values.push(`${index}=${value}`);
  }

  text(index: number, value: string): void {
    this.values.push(`${index}=${value}`);
  }

  bytes(index: number): void {
    this.values.push(`${index}=bytes`);
  }

  fault(index: number, fault: unknown): void {
    this.values.push(`${index}=fault ${isFault(fault) ? fault.code : '?'}`);
  }

  stamp(index: number, _time: number, quality = 0): void {
    if (quality !== 0) this.values.push(`${index} has quality ${quality}`);
  }

  send(): boolean {
    this.sent++;
    return true;
  }
}

interface Scene {
  readonly fixture: Fixture;
  readonly device: Simulator;
  readonly reports: Reports;
  readonly watch: Watch;
}

const points = pointsOf(
  'AV1',
  'AV2',
  ['AV1.Status_Flags', DataType.UINT8],
  ['AV1.Units', DataType.UINT16],
  'AV3',
).map((point, index) => (index === 4 ? { ...point, attribute: Attribute.READ } : point));

async function withWatch(
  work: (scene: Scene) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (device: Simulator) => void = () => undefined,
  shortWaits = false,
): Promise<void> {
  await using device = new Simulator();
  for (const instance of [1, 2, 3]) device.value(AV, instance, real(instance));
  prepare(device);
  await device.listen();
  await using fixture = idleFixtureAt(device.port, changes);
  fixture.record.shortWaits = shortWaits;
  await fixture.driver.start();
  const reports = new Reports();
  const watch = fixture.driver.watch?.(points, reports);
  if (watch === undefined) throw new Error('The driver cannot watch.');
  await using _ = watch;
  await work({ fixture, device, reports, watch });
}

describe('change of value', () => {
  for (const [cov, name] of [
    [2, 'confirmed'],
    [1, 'unconfirmed'],
  ] as const) {
    it(`reports what ${name} notifications carry, in order, with quality`, async () => {
      await withWatch(
        async ({ device, reports, watch }) => {
          await until('both objects are reported', () => reports.sent >= 2);
          expect(reports.values.sort()).to.deep.equal(['0=1', '1=2', '2=0']);
          expect(watch.polled).to.deep.equal([3, 4]);
          expect(device.subscriptions.map(({ isConfirmed }) => isConfirmed)).to.deep.equal([
            cov === 2,
            cov === 2,
          ]);
          reports.values.length = 0;
          device.change(objectOf(AV, 1), real(5), 0b1001_0000);
          device.change(objectOf(AV, 1), real(6));
          await until('both changes are reported', () => reports.sent >= 4);
          const quality = Quality.ALARM | Quality.OUT_OF_SERVICE;
          expect(reports.values).to.deep.equal([
            ...['0=5', '2=9', `0 has quality ${quality}`, `2 has quality ${quality}`],
            ...['0=6', '2=0'],
          ]);
          if (cov === 2) await until('all are acknowledged', () => device.acknowledged === 4);
          else expect(device.acknowledged).to.equal(0);
        },
        { cov },
      );
    });
  }

  it('renews subscriptions before their lifetime ends, and ends them with the watch', async () => {
    await using device = new Simulator();
    device.value(AV, 1, real(1));
    await device.listen();
    await using fixture = await fixtureAt(device.port, { cov_lifetime: 2, timeout: 100 });
    const watch = fixture.driver.watch?.(pointsOf('AV1'), new Reports());
    await until('it is renewed', () => device.subscribed >= 3);
    expect(device.subscriptions).to.have.length(1);
    await watch?.[Symbol.asyncDispose]();
    expect(device.subscriptions).to.deep.equal([]);
  });

  it('takes unconfirmed notifications where the device refuses confirmed ones', async () => {
    await withWatch(
      async ({ device, reports, watch }) => {
        await until('both objects are reported', () => reports.sent >= 2);
        expect(device.subscriptions.some(({ isConfirmed }) => isConfirmed)).to.equal(false);
        expect(watch.polled).to.deep.equal([3, 4]);
      },
      {},
      (device) => void (device.refuses = 'confirmed'),
    );
  });

  for (const way of ['an error', 'a reject', 'its list of services'] as const) {
    it(`polls what the device refuses by ${way}`, async () => {
      await withWatch(
        async ({ fixture, device, watch }) => {
          await until('all is polled', () => watch.polled?.length === 5);
          expect(watch.polled).to.deep.equal([0, 1, 2, 3, 4]);
          expect((await fixture.readings(points))[1]).to.equal(2);
          const asked = device.asked.get(Service.SUBSCRIBE_COV) ?? 0;
          expect(asked > 0).to.equal(way !== 'its list of services');
          expect(fixture.record.logs.filter((line) => line.includes('polled')).length).to.be.at.most(1);
        },
        {},
        (device) => {
          if (way === 'an error') device.refuses = 'all';
          else device.services.delete(5);
          if (way === 'a reject') device.isTalkative = false;
        },
      );
    });
  }

  it('subscribes again when the device is back', async () => {
    await withWatch(
      async ({ fixture, device, reports }) => {
        await until('both objects are reported', () => reports.sent >= 2);
        fixture.record.shortWaits = true;
        await device[Symbol.asyncDispose]();
        await fixture.readings(pointsOf('AV1'));
        await until('the loss is seen', async () => {
          const [value] = await fixture.read(pointsOf('AV1'));
          return isFault(value) && value.code === ErrorCode.DISCONNECTED;
        });
        device.subscriptions.length = 0;
        reports.sent = 0;
        await device.listen();
        await until('both objects are reported again', () => reports.sent >= 2);
      },
      { timeout: 200, retries: 0 },
    );
  });

  it('sees that a device is gone which only reports changes', async () => {
    await withWatch(
      async ({ fixture, device, reports }) => {
        await until('both objects are reported', () => reports.sent >= 2);
        device.script = () => [];
        fixture.record.clockOffset += 10_000;
        await until('the loss is reported', () => fixture.link === LinkState.DISCONNECTED);
      },
      { timeout: 200, retries: 0 },
      () => undefined,
      true,
    );
  });

  it('subscribes again when the device has restarted so fast that the link stayed up', async () => {
    const started = (hundredths: number): Buffer => Buffer.of(0x0c, 1, 2, 3, hundredths);
    await withWatch(
      async ({ fixture, device, reports }) => {
        await until('both objects are reported', () => reports.sent >= 2);
        const asked = (): number => device.asked.get(Service.READ_PROPERTY) ?? 0;
        const before = asked();
        await until('it was asked twice when it started', () => asked() >= before + 2);
        expect(device.subscribed, 'as long as it has not restarted').to.equal(2);
        device.objects.get(objectOf(8, device.device))?.set(Property.RESTART_TIME, started(2));
        device.subscriptions.length = 0;
        await until('it is subscribed again', () => device.subscriptions.length === 2);
        device.change(objectOf(AV, 1), real(11));
        await until('a change is reported', () => reports.values.includes('0=11'));
        expect(fixture.record.logs.filter((line) => line.includes('has restarted'))).to.have.length(1);
        expect(fixture.record.links.map(({ state }) => state)).to.not.include(LinkState.DISCONNECTED);
      },
      {},
      (device) => device.objects.get(objectOf(8, device.device))?.set(Property.RESTART_TIME, started(1)),
      true,
    );
  });

  it('answers for subscriptions that are over, and drops what makes no sense', async () => {
    await withWatch(async ({ fixture, device, reports }) => {
      await until('both objects are reported', () => device.acknowledged >= 2);
      const own = device.subscriptions[0];
      if (own === undefined) throw new Error('There is no subscription.');
      device.subscriptions.push({ ...own, process: 1 });
      device.change(objectOf(AV, 1), real(7));
      await until('both are acknowledged', () => device.acknowledged >= 4);
      const before = reports.values.length;
      device.send(Buffer.from('810a000c01001002096b', 'hex'), own.to);
      device.send(Buffer.from('810a000b0100100209001c0c', 'hex').subarray(0, 11), own.to);
      await until('it is counted', () => (fixture.record.counts.get('malformed_frames') ?? 0) >= 2);
      expect(reports.values).to.have.length(before);
    });
  });
});
