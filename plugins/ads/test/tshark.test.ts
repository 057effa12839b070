import { DataType } from '@tagway/sdk';
import { expect } from 'chai';
import { callOf, Dissection, pointsOf, withTshark } from '@tagway/testkit';
import { Command, IndexGroup } from '../src/protocol.ts';
import { openFixture } from './fixture.ts';
import { variable } from './program.ts';

/** The port by which tshark knows AMS. */
const port = 48_898;

withTshark('what tshark makes of the frames', () => {
  it('is what was meant, and none is malformed', async () => {
    await using fixture = await openFixture((device) => device.add(variable('MAIN.a', 'INT', '0100')));
    const points = pointsOf(
      ['MAIN.a', DataType.INT16],
      ['0x4020,100', DataType.DOUBLE],
      ['0x4020,108.20', DataType.STRING],
    );
    await fixture.readings(points);
    await fixture.readings(points.slice(1, 2), 'test');
    await fixture.written(points, [7, 2.5, 'text']);
    await fixture.written(points.slice(1, 2), [3.5]);
    await fixture.driver.browse?.({ id: '' }, callOf('demand'));
    const { frames } = fixture.simulator;
    expect(frames.length).to.be.greaterThan(16);

    const packets = frames.map((bytes) => ({ fromClient: (bytes.readUInt16LE(24) & 1) === 0, bytes }));
    const dissection = new Dissection(packets, port);
    expect(dissection.malformed()).to.deep.equal([]);
    const rows = dissection.fields([
      ...['ams.cmdid', 'ams.state_response', 'ams.invokeid', 'ams.ads_indexgroup', 'ams.ads_indexoffset'],
      ...['ams.targetnetid', 'ams.sendernetid'],
    ]);
    expect(rows).to.have.lengthOf(frames.length);
    const number = (text = ''): number => Number(text.split(',')[0]);
    const groups = new Set<number>();
    for (const [index, row] of rows.entries()) {
      const frame = frames[index] as Buffer;
      const [command, response, id, group, offset, target, source] = row;
      const what = `frame ${index}: ${frame.toString('hex')}`;
      expect(number(command), what).to.equal(frame.readUInt16LE(22));
      expect(number(id), what).to.equal(frame.readUInt32LE(34));
      const isResponse = ['1', 'True'].includes(response ?? '');
      expect(isResponse, what).to.equal(frame.readUInt16LE(24) === 5);
      expect(isResponse ? source : target, what).to.equal('5.23.91.10.1.1');
      if (isResponse || frame.readUInt16LE(22) === Command.READ_STATE) continue;
      groups.add(number(group));
      expect(number(group), what).to.equal(frame.readUInt32LE(38));
      expect(number(offset), what).to.equal(frame.readUInt32LE(42));
    }
    const { SUM_READ, SUM_WRITE, SUM_READ_WRITE, SYMBOL_UPLOAD } = IndexGroup;
    expect([...groups]).to.include.members([SUM_READ, SUM_WRITE, SUM_READ_WRITE, SYMBOL_UPLOAD, 0x4020]);
  });
});
