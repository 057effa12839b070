import { expect } from 'chai';
import {
  asduOf,
  Control,
  frameLength,
  informationFrame,
  isTimeInvalid,
  readTime,
  supervisoryFrame,
  timeOf,
  unnumberedFrame,
} from '../src/index.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('frames', () => {
  it('are those of the standard', () => {
    expect(unnumberedFrame(Control.STARTDT_ACT)).to.deep.equal(hex('68 04 07 00 00 00'));
    expect(unnumberedFrame(Control.TESTFR_CON)).to.deep.equal(hex('68 04 83 00 00 00'));
    expect(supervisoryFrame(1)).to.deep.equal(hex('68 04 01 00 02 00'));
    expect(supervisoryFrame(128)).to.deep.equal(hex('68 04 01 00 00 01'));
    expect(supervisoryFrame(32_767)).to.deep.equal(hex('68 04 01 00 fe ff'));
    const interrogation = asduOf(100, 1, 0, Buffer.from([20]));
    expect(informationFrame(0, 0, interrogation)).to.deep.equal(
      hex('68 0e 00 00 00 00 64 01 06 00 01 00 00 00 00 14'),
    );
    const command = asduOf(45, 0x1234, 0x56789a, Buffer.from([0x81]));
    expect(informationFrame(32_767, 300, command)).to.deep.equal(
      hex('68 0e fe ff 58 02 2d 01 06 00 34 12 9a 78 56 81'),
    );
  });

  it('are found by their length', () => {
    const lengths = ['68', '68 04', '68 fd', '68 03', '68 fe', '00', '04 68'].map((text) => {
      const bytes = hex(text);
      return frameLength(bytes, 0, bytes.length);
    });
    expect(lengths).to.deep.equal([0, 6, 255, -1, -1, -1, -1]);
  });
});

describe('times', () => {
  it('are those of the station, in UTC', () => {
    // Thursday 29 February 2024, 23:59:58.765; the day of the week is 4.
    const time = hex('8d e5 3b 17 9d 02 18');
    expect(new Date(readTime(time, 0, 0)).toISOString()).to.equal('2024-02-29T23:59:58.765Z');
    expect(new Date(readTime(time, 0, 480)).toISOString()).to.equal('2024-02-29T15:59:58.765Z');
    expect(timeOf(Date.UTC(2024, 1, 29, 23, 59, 58, 765), 0)).to.deep.equal(time);
    expect(timeOf(Date.UTC(2024, 1, 29, 15, 59, 58, 765), 480)).to.deep.equal(time);
    const sunday = timeOf(Date.UTC(2024, 2, 3), 0);
    expect((sunday[4] as number) >> 5).to.equal(7);
    expect(isTimeInvalid(hex('00 00 80 00 01 01 18'), 0)).to.equal(true);
  });

  it('that are invalid have no value', () => {
    for (const text of [
      '00 00 00 00 00 01 18',
      '00 00 00 00 01 00 18',
      '00 00 00 00 01 0d 18',
      '60 ea 00 00 01 01 18',
    ])
      expect(readTime(hex(text), 0, 0), text).to.deep.equal(NaN);
    // 31 February, 29 February 2023, 31 April.
    for (const text of ['00 00 00 00 1f 02 18', '00 00 00 00 1d 02 17', '00 00 00 00 1f 04 18'])
      expect(readTime(hex(text), 0, 0), text).to.deep.equal(NaN);
    expect(readTime(hex('00 00 00 00 1f 0c 18'), 0, 0)).to.equal(Date.UTC(2024, 11, 31));
    for (const text of ['00 00 3c 00 01 01 18', '00 00 00 18 01 01 18', '00 00 00 00 01 01 64'])
      expect(readTime(hex(text), 0, 0), text).to.deep.equal(NaN);
  });
});
