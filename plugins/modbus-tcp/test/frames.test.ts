import { DataType } from '@tagway/sdk';
import { explainedFrames, longestMeaning, pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';

/** Direction, unit and meaning of every frame. */
const linesOf = (frames: ReturnType<typeof explainedFrames>): string[] =>
  frames.map(({ direction, unit = '-', text = '-' }) => `${direction} ${unit} ${text}`);

describe('frames of Modbus, explained', () => {
  it('are requests with their places as tags have them, and answers with their values', async () => {
    await using fixture = await openFixture();
    const points = pointsOf('1!400001', '1!400002', ['2!300010', DataType.INT16], ['1!000003', DataType.BIT]);
    const frames = explainedFrames(fixture.record);
    await fixture.readings(points);
    const lines = linesOf(frames);
    expect(lines).to.include('sent 1 Read holding registers 400001 to 400002');
    expect(lines).to.include('sent 2 Read input register 300010');
    expect(lines).to.include('sent 1 Read coil 000003');
    expect(
      lines.filter((line) =>
        /^received 1 Values of holding registers 400001 to 400002: [\da-f]{4} [\da-f]{4}$/.test(line),
      ),
    ).to.have.length(1);
    expect(lines.filter((line) => /^received 1 Values of coil 000003: [01]$/.test(line))).to.have.length(1);
    frames.length = 0;
    await fixture.written(pointsOf('1!400005', ['1!000007', DataType.BIT]), [0x1234, true]);
    expect(linesOf(frames)).to.include.members([
      'sent 1 Write holding register 400005: 1234',
      'received 1 Written holding register 400005',
      'sent 1 Write coil 000007: 1',
      'received 1 Written coil 000007',
    ]);
  });

  it('count from the first register of the settings', async () => {
    await using fixture = await openFixture({ address_base: 0 });
    const frames = explainedFrames(fixture.record);
    await fixture.readings(pointsOf('1!400001'));
    expect(linesOf(frames)[0]).to.equal('sent 1 Read holding register 400001');
    expect(frames[0]?.frame.readUInt16BE(8)).to.equal(1);
  });

  it('say what was refused and why, and which are about a tag', async () => {
    await using fixture = await openFixture();
    fixture.simulator.memory.holes.add(0);
    const [wanted, other] = pointsOf('1!400001', '1!404001');
    const frames = explainedFrames(fixture.record, wanted);
    await fixture.readings([wanted!, other!]);
    const about = frames.filter(({ isOfTag }) => isOfTag === true);
    expect(linesOf(about)).to.deep.equal([
      'sent 1 Read holding register 400001',
      'received 1 Refused to read holding register 400001: exception 2 (illegal data address)',
    ]);
    expect(frames.length).to.be.greaterThan(about.length);
  });

  it('that are damaged have a short meaning or none', async () => {
    await using fixture = await openFixture();
    const frames = explainedFrames(fixture.record);
    await fixture.readings(pointsOf('1!400001', ['1!000003', DataType.BIT]));
    const [source] = fixture.record.sources;
    expect(longestMeaning(source!.format, frames)).to.be.within(1, 2000);
  });
});
