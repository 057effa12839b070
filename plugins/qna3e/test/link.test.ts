import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { faultsOf, pointsOf, readings, until, untilRead } from '@tagway/testkit';
import { testsOfFraming } from '@tagway/plc-words/test';
import { TransportMode } from '../src/settings.ts';
import { openFixture } from './fixture.ts';

const points = pointsOf('D0', 'D1');
const values = [0, 0];

for (const [name, transport_mode] of Object.entries(TransportMode))
  describe(`the link over ${name}`, function () {
    this.timeout(30_000);

    it('gives the tags of a silent PLC NO_RESPONSE, and does not take its late reply for another one', async () => {
      await using fixture = await openFixture({ transport_mode });
      const { simulator, driver } = fixture;
      simulator.d.set([5, 6]);
      expect(await readings(driver, points)).to.deep.equal([5, 6]);
      const late = simulator.holdBack();
      expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.NO_RESPONSE));
      await until('the link is down', () => fixture.link === LinkState.DISCONNECTED);
      simulator.d.set([7, 8]);
      simulator.script = (_frame, usual) => {
        late();
        return [usual()];
      };
      let first: unknown;
      await until('values come again', async () => {
        [first] = await readings(driver, points);
        return typeof first === 'number';
      });
      expect(first).to.equal(7);
      expect(fixture.link).to.equal(LinkState.CONNECTED);
    });

    it('gives a reply that does not fit DECODE_FAILED, and goes on', async () => {
      await using fixture = await openFixture({ transport_mode });
      const { simulator, driver } = fixture;
      simulator.script = (_frame, usual) => {
        const reply = usual();
        reply.writeUInt16LE(reply.readUInt16LE(7) - 2, 7);
        return [reply.subarray(0, -2)];
      };
      expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DECODE_FAILED));
      simulator.script = undefined;
      await untilRead(driver, points, values);
    });

    it('gives a reply of another route no heed', async () => {
      await using fixture = await openFixture({ transport_mode });
      const { simulator, driver } = fixture;
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

  testsOfFraming(() => openFixture(), 8);

  it('says why when nobody listens', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    const { port } = simulator;
    await simulator.close();
    await until(
      'it is told',
      () => record.links.at(-1)?.report.reason?.includes('refuses connections') === true,
    );
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
    await simulator.listen(port);
    await untilRead(driver, points, values);
  });
});
