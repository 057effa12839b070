import { DataType } from '@tagway/sdk';
import { explainedFrames, longestMeaning } from '@tagway/testkit';
import { expect } from 'chai';
import { counter32, text } from './agent.ts';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';
import { authPassword, hasSnmpd, privPassword, Snmpd, users } from './snmpd.ts';

const title = hasSnmpd ? 'of snmpd' : 'of snmpd (skipped: snmpd and snmp are not installed)';

describe('frames of SNMP, explained', () => {
  it('name the objects and their values, and what is missing', async () => {
    await withFixture(
      async (fixture) => {
        const points = pointsOf('sysUpTime.0', ['sysDescr.0', DataType.STRING], '1.3.6.1.4.1.99999.7');
        const frames = explainedFrames(fixture.record, points[1]);
        await fixture.readings(points);
        const lines = frames.map(({ direction, text = '' }) => `${direction} ${text}`).join('\n');
        expect(lines).to.match(/^sent Get: .*sysUpTime\.0, .*sysDescr\.0/m);
        expect(lines).to.match(/^received Response.*sysUpTime\.0 = \d+/m);
        expect(frames.every(({ isOfTag }) => isOfTag === true)).to.equal(true);
        frames.length = 0;
        await fixture.readings([points[0]!]);
        expect(frames.some(({ isOfTag }) => isOfTag === true)).to.equal(false);
      },
      {},
      (agent) => {
        agent.set('1.3.6.1.2.1.1.3.0', counter32(4711)).set('1.3.6.1.2.1.1.1.0', text('A device'));
      },
    );
  });

  (hasSnmpd ? it : it.skip)(
    `${title}, encrypted, are explained as decrypted, and the driver works on`,
    async () => {
      await using daemon = await Snmpd.start();
      const user = { ...users[3], version: 2, auth_password: authPassword, priv_password: privPassword };
      await using fixture = await fixtureAt(daemon.port, user);
      const frames = explainedFrames(fixture.record);
      for (let round = 0; round < 3; round++)
        expect(await fixture.readings(pointsOf('sysServices'))).to.deep.equal([
          await sysServices(daemon.port),
        ]);
      const texts = frames.map(({ text }) => text);
      expect(texts).to.have.length(6);
      for (const [index, text] of texts.entries())
        expect(text).to.match(index % 2 === 0 ? /^Get: sysServices\.0$/ : /^Response: sysServices\.0 = \d+$/);
      // The object is not to be seen in what goes over the wire.
      for (const { frame } of frames)
        expect(frame.includes(Buffer.from('2b060102010107', 'hex'))).to.equal(false);
    },
  );

  it('that are damaged have a short meaning or none', async () => {
    await withFixture(
      async (fixture) => {
        const frames = explainedFrames(fixture.record);
        await fixture.readings(pointsOf('sysUpTime.0', ['sysDescr.0', DataType.STRING]));
        const [source] = fixture.record.sources;
        expect(longestMeaning(source!.format, frames)).to.be.within(1, 2000);
      },
      {},
      (agent) => void agent.set('1.3.6.1.2.1.1.1.0', text('A device')),
    );
  });
});

/** What the agent says without encryption. */
async function sysServices(port: number): Promise<unknown> {
  await using plain = await fixtureAt(port);
  const [value] = await plain.readings(pointsOf('sysServices'));
  return value;
}
