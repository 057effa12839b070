import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as breath } from 'node:timers/promises';
import { expect } from 'chai';
import { DataType, isFault } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';
import { real, Simulator, text } from './simulator.ts';

const AV = areas.AV as number;
const rounds = 4000;

/** The same numbers in every run (a linear congruential generator). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function furnish(device: Simulator): void {
  for (let instance = 0; instance < 30; instance++) {
    device.value(AV, instance, real(instance));
    device.objects.get(AV * 2 ** 22 + instance)?.set(Property.DESCRIPTION, text('x'.repeat(300)));
  }
}

const points = pointsOf(
  ...Array.from({ length: 10 }, (_, at) => `AV${at}`),
  ['AV1.Description', DataType.STRING],
  ['AV2.Description', DataType.STRING],
  ['AV3.Status_Flags', DataType.UINT8],
  ['AV4.Object_Name', DataType.BYTES],
);

describe('hostile datagrams', function () {
  this.timeout(60_000);

  it('of random bytes harm nothing', async () => {
    await withFixture(
      async (fixture, device) => {
        const roll = dice(7);
        const from = device.packets.length;
        await fixture.readings(points);
        const last = device.packets.slice(from).find(({ fromClient }) => fromClient);
        expect(last).to.not.equal(undefined);
        device.script = (_request, _data, answer) => {
          const noise = Array.from({ length: 20 }, () => {
            const bytes = Buffer.from(Array.from({ length: roll(60) }, () => roll(256)));
            // Every other one is at least a message of the virtual link.
            if (roll(2) === 0 && bytes.length > 6) {
              bytes.set([0x81, 0x0a, 0, bytes.length, 1, 0]);
            }
            return bytes;
          });
          return [...noise, answer];
        };
        for (let sent = 0; sent < rounds; sent += 40) {
          const values = await fixture.read(points);
          expect(values).to.have.length(points.length);
        }
        device.script = undefined;
        expect((await fixture.readings(points)).slice(0, 10)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(fixture.record.counts.get('malformed_frames')).to.be.greaterThan(1000);
      },
      {},
      furnish,
    );
  });

  it('that are answers with a fault give every point one outcome', async () => {
    await withFixture(
      async (fixture, device) => {
        const roll = dice(11);
        let mutated = 0;
        device.script = (_request, _data, answer) => {
          const bytes = Buffer.from(answer);
          mutated++;
          for (let changes = roll(3) + 1; changes > 0; changes--) {
            // The headers stay, so that the change reaches the decoders.
            const at = 9 + roll(Math.max(1, bytes.length - 9));
            if (at < bytes.length) bytes[at] = roll(256);
          }
          const size = roll(4) === 0 ? 9 + roll(bytes.length - 8) : bytes.length;
          const cut = bytes.subarray(0, size);
          cut.writeUInt16BE(cut.length, 2);
          return [cut];
        };
        let values = 0;
        while (mutated < rounds) {
          for (const reading of await fixture.read(points)) if (!isFault(reading)) values++;
          await breath();
        }
        expect(values).to.be.greaterThan(1000);
      },
      { timeout: 150, retries: 0 },
      furnish,
    );
  });

  it('from another address are not taken for answers', async () => {
    await using device = new Simulator();
    furnish(device);
    await device.listen();
    await using fixture = await fixtureAt(device.port, { timeout: 300 });
    const stranger = createSocket('udp4');
    stranger.bind(0, '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const send = device.send.bind(device);
      device.send = (bytes, to) => {
        const forged = Buffer.from(bytes);
        const value = forged.indexOf(Buffer.from('4441', 'hex'));
        if (value > 0) forged[value + 1] = 0x42;
        stranger.send(forged, to.port, to.address, () => send(bytes, to));
      };
      for (let count = 0; count < 20; count++)
        expect(await fixture.readings(pointsOf('AV9'))).to.deep.equal([9]);
    } finally {
      stranger.close();
    }
  });

  it('that are segments without end are not kept', async () => {
    await withFixture(
      async (fixture, device) => {
        device.script = (request, _data, answer) =>
          Array.from({ length: 200 }, (_, sequence) => {
            const head = Buffer.from('810a00000100', 'hex');
            const apdu = Buffer.of(
              0x3c,
              request.id,
              sequence,
              100,
              answer[8] as number,
              ...Buffer.alloc(400),
            );
            head.writeUInt16BE(head.length + apdu.length, 2);
            return Buffer.concat([head, apdu]);
          });
        const [reading] = await fixture.read(pointsOf('AV1'));
        expect(isFault(reading)).to.equal(true);
        device.script = undefined;
        expect(await fixture.readings(pointsOf('AV1'))).to.deep.equal([1]);
      },
      { timeout: 300, retries: 0 },
      furnish,
    );
  });
});
