import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import {
  Bvlc,
  envelope,
  envelopeToAll,
  registerForeignDevice,
  unconfirmed,
  Unconfirmed,
} from '../src/protocol.ts';
import { callOf, ReportRecorder, until, withTshark } from '@tagway/testkit';
import { pointsOf, withFixture } from './fixture.ts';
import { enumerated, real, text, unsigned } from './simulator.ts';
import { expectSound, shownOf } from './tshark.ts';

const area = (name: string): number => areas[name] as number;

withTshark('every frame, as tshark sees it', () => {
  it('is sound, and says what was meant', async () => {
    await withFixture(
      async (fixture, device) => {
        const points = pointsOf(
          'AV1',
          'AV1.Priority_Array[2]',
          ['AV1.custom.70000', DataType.UINT8],
          ['BO2', DataType.BIT],
          'AV77',
        );
        await fixture.read(points);
        await fixture.read(pointsOf(['AV1.Description', DataType.STRING]));
        await fixture.write(
          pointsOf('AV1@8', ['BO2', DataType.BIT], ['AV1.NULL@8', DataType.FLOAT], 'AV77'),
          [...[1.5, 1, 0, 1]],
        );
        await fixture.write(pointsOf(['AV1.Description', DataType.STRING]), ['Süd']);
        const pushed = new ReportRecorder(1);
        const watch = fixture.driver.watch?.(pointsOf('AV1'), pushed);
        await until('it is reported', () => device.acknowledged > 0);
        await watch?.[Symbol.asyncDispose]();
        await fixture.driver.browse?.({ id: '' }, callOf('demand'));
        expectSound(device.packets);
        const shown = (filter: string, ...names: string[]): string[] =>
          shownOf(device.packets, filter, ...names);
        const reads = shown('bacapp.type == 0 && bacapp.confirmed_service == 14', 'bacapp.instance_number');
        expect(reads[0]?.split(',')).to.include('77');
        expect(
          shown('bacapp.type == 0 && bacapp.confirmed_service == 16', 'bacapp.instance_number').length,
        ).to.be.greaterThan(0);
        expect(shown('bacapp.type == 0 && bacapp.confirmed_service == 5', 'bacapp.type')).to.have.length(2);
        expect(
          shown('bacapp.type == 4', 'bacapp.sequence_number').length,
          'acknowledged segments',
        ).to.be.greaterThan(1);
        expect(shown('bacapp.type == 5', 'bacapp.error_code').join(',')).to.include('31');
      },
      {},
      (device) => {
        device.maxApdu = 206;
        device.segments = true;
        device.object(area('AV'), 1, {
          [Property.PRESENT_VALUE]: real(1),
          [Property.STATUS_FLAGS]: Buffer.of(0x82, 4, 0),
          [Property.DESCRIPTION]: text('x'.repeat(700)),
          87: [Buffer.of(0), real(2)],
          70_000: unsigned(3),
        });
        device.value(area('BO'), 2, enumerated(0));
      },
    );
  });

  it('names network, address and instance in what is sent to devices behind routers and to all', () => {
    const route = { network: 2001, mac: Buffer.of(0x0a) };
    const who = unconfirmed(Unconfirmed.WHO_IS, Buffer.alloc(0));
    const packets = [
      envelope(who, { route }),
      envelopeToAll(who, Bvlc.BROADCAST),
      envelopeToAll(who, Bvlc.DISTRIBUTE_BROADCAST),
      registerForeignDevice(30),
    ].map((bytes) => ({ fromClient: true, bytes }));
    expectSound(packets);
    expect(shownOf(packets, '', 'bvlc.function', 'bacnet.dnet', 'bvlc.reg_ttl')).to.deep.equal([
      ...['0x0a\t2001\t', '0x0b\t65535\t', '0x09\t65535\t', '0x05\t\t30'],
    ]);
  });
});
