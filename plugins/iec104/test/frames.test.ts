import { DataType, type FrameDirection, type FrameMeaning, type Point } from '@tagway/sdk';
import { longestMeaning } from '@tagway/testkit';
import { expect } from 'chai';
import { frames } from '../src/frames.ts';
import { pointsOf } from './fixture.ts';

const explain = (
  hex: string,
  tag?: Point,
  direction: FrameDirection = 'received',
): FrameMeaning | undefined => frames.explain?.(tag)(direction, Buffer.from(hex, 'hex'));

describe('frames of IEC 60870-5-104, explained', () => {
  for (const [hex, text] of [
    ['680407000000', 'Start of data asked for (STARTDT)'],
    ['680483000000', 'Test confirmed (TESTFR)'],
    ['680401000a00', 'Frames before number 5 acknowledged'],
    ['680e000000006401060001000000000014', 'Interrogation (C_IC_NA_1), activation: 0'],
    // Two scaled values in a sequence from 4001 on.
    [
      '681300000000 0b82 0300 0700 a10f00 e803 00 18fc 10',
      'M_ME_NB_1, spontaneous: 4001 = 1000, 4002 = -1000',
    ],
    // A short float, and its time.
    ['681900000000 2401 0300 0100 640000 0000c841 00 00000c0c190b1a', 'M_ME_TF_1, spontaneous: 100 = 25'],
    // A single command that the station refuses.
    [
      '680e00000000 2d01 4700 0100 0a0000 81',
      'Single command (C_SC_NA_1), activation confirmed, negative: 10',
    ],
    ['680e00000000 7d01 0600 0100 0a0000 81', 'Type 125, activation: 10'],
  ] as const)
    it(text, () => {
      expect(explain(hex.replaceAll(' ', ''))?.text).to.equal(text);
    });

  it('have the common address as their unit, and are about the objects in them', () => {
    const [first, second] = pointsOf([4001, DataType.INT16], [5000, DataType.INT16]);
    const sequence = '681300000000' + '0b820300' + '0700' + 'a10f00' + 'e80300' + '18fc10';
    expect(explain(sequence, first)).to.include({ unit: '7', isOfTag: true });
    expect(explain(sequence, second)).to.include({ unit: '7', isOfTag: false });
    expect(explain('680407000000', first)?.unit).to.equal(undefined);
  });

  it('that are damaged are explained as far as they go', () => {
    expect(explain('6801')).to.equal(undefined);
    // Announces four objects and has one.
    expect(explain('681000000000' + '01040300' + '0100' + '64000001' + '6500')?.text).to.equal(
      'M_SP_NA_1, spontaneous: 100 = 1',
    );
  });

  it('that are damaged in any way have a short meaning or none', () => {
    const seen = ['680407000000', '681300000000' + '0b820300' + '0700' + 'a10f00' + 'e80300' + '18fc10'];
    const received = seen.map((hex) => ({ direction: 'received', frame: Buffer.from(hex, 'hex') }) as const);
    expect(longestMeaning(frames, received)).to.be.within(1, 2000);
  });
});
