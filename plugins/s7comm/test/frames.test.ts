import { DataType } from '@tagway/sdk';
import { explainedFrames, longestMeaning, pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { withFixture } from './fixture.ts';

describe('frames of S7, explained', () => {
  it('are jobs with their places as tags have them, and what came of each', async () => {
    await withFixture(
      async (fixture) => {
        const [wanted, ...others] = pointsOf(
          ['DB1.DBW10', DataType.FLOAT],
          ['M3', DataType.UINT8],
          ['DB99.DBW0', DataType.INT16],
        );
        const frames = explainedFrames(fixture.record, wanted);
        await fixture.readings([wanted!, ...others]);
        const sent = frames.find(({ direction }) => direction === 'sent');
        expect(sent?.text).to.match(/^Read .*DB1\.DBW10 \(4 bytes\)/);
        expect(sent?.text).to.match(/M3/);
        expect(sent?.isOfTag).to.equal(true);
        const received = frames.find(({ direction }) => direction === 'received');
        expect(received?.text).to.match(/DB1\.DBW10 \(4 bytes\) = [\da-f]{8}/);
        expect(received?.text).to.match(/DB99\.DBW0 \(2 bytes\): The PLC does not have this object/);
        expect(received?.isOfTag).to.equal(true);
        frames.length = 0;
        await fixture.readings(others);
        expect(frames.length).to.be.greaterThan(0);
        expect(frames.some(({ isOfTag }) => isOfTag)).to.equal(false);
        frames.length = 0;
        await fixture.written(pointsOf(['DB1.DBW20.3', DataType.BIT]), [true]);
        expect(frames.map(({ direction, text }) => `${direction} ${text ?? ''}`)).to.deep.equal([
          'sent Write DB1.DBW20.3',
          'received DB1.DBW20.3 written',
        ]);
      },
      {},
      (plc) => plc.blocks.set(1, Buffer.alloc(64)),
    );
  });

  it('that are damaged have a short meaning or none', async () => {
    await withFixture(
      async (fixture) => {
        const frames = explainedFrames(fixture.record);
        await fixture.readings(pointsOf(['DB1.DBW10', DataType.FLOAT], ['M3', DataType.UINT8]));
        const [source] = fixture.record.sources;
        expect(longestMeaning(source!.format, frames)).to.be.within(1, 2000);
      },
      {},
      (plc) => plc.blocks.set(1, Buffer.alloc(64)),
    );
  });
});
