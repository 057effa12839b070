import { expect } from 'chai';
import { Line, serialMedium, tcpMedium, type Asked } from '@tagway/sdk/link';

/** A request of function `kind` for the register `place`. */
const asked = (station: number, kind: number, place: number): Asked => ({
  bytes: Buffer.from([station, kind, place]),
  station,
  kind,
});
const one = asked(1, 3, 0);
const same = asked(1, 3, 0);
const other = asked(1, 3, 9);
const input = asked(1, 4, 0);

const later = (): number => performance.now() + 100_000;

describe('a line', () => {
  it('takes 3.5 characters of silence for the end of a frame, and never less than a timer can wait', () => {
    const { byte, gap } = serialMedium(9600, 10);
    expect(byte).to.be.closeTo(1.0417, 0.001);
    expect(gap).to.be.closeTo(3.646, 0.001);
    expect(serialMedium(115_200, 10).gap).to.equal(2);
  });

  it('holds up a request to which the late answer to another one could belong, and no other request', () => {
    const line = new Line(serialMedium(9600, 10));
    line.missed(one, later());
    expect(line.waitFor(other)).to.be.above(90_000);
    expect(line.waitFor(same), 'the same again').to.equal(0);
    expect(line.waitFor(input), 'another function').to.equal(0);
    expect(line.waitFor(asked(2, 3, 9)), 'another unit').to.equal(0);
  });

  it('holds it up no longer than the answer may come', () => {
    const line = new Line(serialMedium(9600, 10));
    line.missed(one, performance.now() - 1);
    expect(line.waitFor(other)).to.equal(0);
  });

  it('expects no late answer any more once the unit has answered something else', () => {
    const line = new Line(serialMedium(9600, 10));
    line.missed(one, later());
    line.answered(same);
    expect(line.waitFor(other), 'it may have been the late answer').to.be.above(90_000);
    line.answered(asked(2, 4, 0));
    expect(line.waitFor(other), 'another unit').to.be.above(90_000);
    line.answered(input);
    expect(line.waitFor(other)).to.equal(0);
  });

  it('of a TCP connection is empty when that is new; a serial port that is opened again is not', () => {
    for (const [medium, least] of [
      [tcpMedium, 0],
      [serialMedium(9600, 10), 90_000],
    ] as const) {
      const line = new Line(medium);
      line.missed(one, later());
      line.opened();
      expect(line.waitFor(other)).to.be.at.least(least);
      expect(line.waitFor(other) > 0).to.equal(least > 0);
    }
  });
});
