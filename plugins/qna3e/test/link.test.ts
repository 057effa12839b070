import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { pointsOf, readings, until } from '@tagway/testkit';
import { TransportMode } from '../src/settings.ts';
import { plantOf } from './plant.ts';

const points = pointsOf('D0', 'D1');
const all = (code: number): object[] => points.map(() => ({ fault: code }));

for (const [name, transport_mode] of Object.entries(TransportMode))
  describe(`the link over ${name}`, function () {
    this.timeout(30_000);

    it('gives the tags of a silent PLC NO_RESPONSE, and does not take its late reply for another one', async () => {
      await using plant = await plantOf({ transport_mode });
      const { simulator, driver, record } = plant;
      simulator.d.set([5, 6]);
      expect(await readings(driver, points)).to.deep.equal([5, 6]);
      let late: (() => void) | undefined;
      simulator.script = (_frame, usual, send) => {
        const reply = usual();
        late = () => send(reply);
        return [];
      };
      expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.NO_RESPONSE));
      await until('the link is down', () => record.links.at(-1)?.state === LinkState.DISCONNECTED);
      simulator.d.set([7, 8]);
      simulator.script = (_frame, usual) => {
        late?.();
        return [usual()];
      };
      let first: unknown;
      await until('values come again', async () => {
        [first] = await readings(driver, points);
        return typeof first === 'number';
      });
      expect(first).to.equal(7);
      expect(record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
    });

    it('gives a reply that does not fit DECODE_FAILED, and goes on', async () => {
      await using plant = await plantOf({ transport_mode });
      const { simulator, driver } = plant;
      simulator.script = (_frame, usual) => {
        const reply = usual();
        reply.writeUInt16LE(reply.readUInt16LE(7) - 2, 7);
        return [reply.subarray(0, -2)];
      };
      expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DECODE_FAILED));
      simulator.script = undefined;
      await until('values come again', async () => (await readings(driver, points))[0] === 0);
    });

    it('gives a reply of another route no heed', async () => {
      await using plant = await plantOf({ transport_mode });
      const { simulator, driver } = plant;
      simulator.script = (_frame, usual) => {
        const reply = usual();
        reply[3] = 1;
        return [reply];
      };
      const [reading] = await readings(driver, points);
      expect([ErrorCode.DECODE_FAILED, ErrorCode.NO_RESPONSE].map((fault) => ({ fault }))).to.deep.include(
        reading,
      );
    });
  });

describe('the link', function () {
  this.timeout(30_000);

  it('takes half a frame and the rest, two frames at once, and single bytes', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    simulator.d.set([5, 6]);
    simulator.script = (_frame, usual) => Array.from(usual(), (byte) => Buffer.of(byte));
    expect(await readings(driver, points), 'single bytes').to.deep.equal([5, 6]);
    simulator.script = (_frame, usual, send) => {
      const reply = usual();
      setTimeout(() => send(reply.subarray(8)), 50);
      return [reply.subarray(0, 8)];
    };
    expect(await readings(driver, points), 'halves').to.deep.equal([5, 6]);
    simulator.script = (_frame, usual) => {
      const reply = usual();
      return [Buffer.concat([reply, reply])];
    };
    expect(await readings(driver, points), 'twice at once').to.deep.equal([5, 6]);
    expect(record.counts.get('foreign_frames')).to.equal(1);
  });

  it('drops the connection at garbage', async () => {
    await using plant = await plantOf();
    const { simulator, driver } = plant;
    simulator.script = (_frame, usual) => [Buffer.concat([Buffer.from('noise'), usual()])];
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DECODE_FAILED));
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
    expect(simulator.connections).to.equal(2);
  });

  it('says why when nobody listens', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    const { port } = simulator;
    await simulator.close();
    await until(
      'it is told',
      () => record.links.at(-1)?.report.reason?.includes('refuses connections') === true,
    );
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    await simulator.listen(port);
    await until('values come', async () => (await readings(driver, points))[0] === 0);
  });

  it('survives a PLC that restarts in the middle of a poll', async () => {
    await using plant = await plantOf();
    const { simulator, driver } = plant;
    expect(await readings(driver, points)).to.deep.equal([0, 0]);
    simulator.script = () => {
      simulator.cut();
      return [];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    const { port } = simulator;
    await simulator.close();
    simulator.script = undefined;
    await simulator.listen(port);
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
  });
});
