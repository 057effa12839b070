import { expect } from 'chai';
import { addressBytes, frameOf, readFrame, readMoreFrame } from '../src/protocol.ts';
import { Reply, type Expected } from '../src/reply.ts';

/** Frames as published: the wake-up bytes, then the frame. */
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

interface Golden {
  readonly what: string;
  readonly meter: string;
  readonly identifier: number;
  readonly request: string;
  readonly answer: string;
  /** The data behind the identifier. */
  readonly data: string;
}

const golden: readonly Golden[] = [
  {
    what: 'voltage of a meter behind a serial line, 220.5 V',
    meter: '210220003011',
    identifier: 0x02_01_01_00,
    request: 'fefefefe 68 113000200221 68 11 04 33343435 39 16',
    answer: 'fefefefe 68 113000200221 68 91 06 33343435 3855 48 16',
    data: '0522',
  },
  {
    what: 'forward active energy, 0.26 kWh, answered without wake-up bytes',
    meter: '000000000161',
    identifier: 0x00_01_00_00,
    request: 'fefefefe 68 610100000000 68 11 04 33333433 14 16',
    answer: '68 610100000000 68 91 08 33333433 59333333 8a 16',
    data: '26000000',
  },
  {
    what: 'voltage, 100.1 V',
    meter: '000000000161',
    identifier: 0x02_01_01_00,
    request: 'fefefefe 68 610100000000 68 11 04 33343435 17 16',
    answer: '68 610100000000 68 91 06 33343435 3443 10 16',
    data: '0110',
  },
];

function expected(meter: string, identifier: number, sequence = 0): Expected {
  const control = sequence === 0 ? 0x11 : 0x12;
  return { address: addressBytes(meter), control, identifier, sequence, errorIsOurs: () => true };
}

function answersFor(what: Expected): { answers: Reply; foreign: () => number } {
  let foreign = 0;
  const answers = new Reply(() => foreign++);
  answers.expect(what);
  return { answers, foreign: () => foreign };
}

describe('frames', () => {
  for (const { what, meter, identifier, request, answer, data } of golden)
    it(`are those that were published: ${what}`, () => {
      expect(readFrame(addressBytes(meter), identifier).toString('hex')).to.equal(
        hex(request).toString('hex'),
      );
      const { answers } = answersFor(expected(meter, identifier));
      const bytes = hex(answer);
      expect(answers.take(bytes, bytes.length)).to.equal('answered');
      expect(answers.data.toString('hex', answers.start, answers.end)).to.equal(data);
      expect([answers.error, answers.more]).to.deep.equal([-1, false]);
    });

  it('ask for what is left with a number', () => {
    const frame = readMoreFrame(addressBytes('000000000161'), 0x05_06_01_01, 2);
    expect(frame.toString('hex', 12)).to.equal(hex('12 05 34 34 39 38 35').toString('hex') + sumOf(frame));
  });

  it('say that there is more, and which part they are', () => {
    const own = expected('000000000161', 0x05_06_01_01, 2);
    const { answers, foreign } = answersFor(own);
    const part = (sequence: number, control: number): Buffer =>
      frameOf(own.address, control, Buffer.of(0x01, 0x01, 0x06, 0x05, 0x77, sequence));
    const late = part(1, 0xb2);
    expect(answers.take(late, late.length)).to.equal('waiting');
    expect(foreign()).to.equal(1);
    const right = part(2, 0xb2);
    expect(answers.take(right, right.length)).to.equal('answered');
    expect(answers.more).to.equal(true);
    expect(answers.data.toString('hex', answers.start, answers.end)).to.equal('77');
  });

  it('carry errors', () => {
    const own = expected('000000000161', 0x02_01_01_00);
    const { answers } = answersFor(own);
    const bytes = frameOf(own.address, 0xd1, Buffer.of(0x02));
    expect(answers.take(bytes, bytes.length)).to.equal('answered');
    expect(answers.error).to.equal(2);
  });

  it('are found byte by byte, behind noise, echoes and frames of other meters', () => {
    const own = expected('000000000161', 0x02_01_01_00);
    const { answers, foreign } = answersFor(own);
    const bytes = Buffer.concat([
      hex('00 68 16 68 12 34'),
      readFrame(own.address, own.identifier),
      hex('68 113000200221 68 91 06 33343435 3855 48 16'),
      hex('68 610100000000 68 91 08 33333433 59333333 8a 16'),
      hex('fe fe 68 610100000000 68 91 06 33343435 3443 10 16'),
    ]);
    const outcomes = Array.from(bytes, (byte) => answers.take(Buffer.of(byte), 1));
    expect(outcomes.indexOf('answered')).to.equal(bytes.length - 1);
    expect(outcomes).to.not.include('damaged');
    expect(foreign(), 'the echo, another meter, another item').to.equal(3);
  });

  it('are damaged when the sum or the end is wrong', () => {
    for (const answer of [
      '68 610100000000 68 91 06 33343435 3444 10 16',
      '68 610100000000 68 91 06 33343435 3443 10 17',
    ]) {
      const { answers } = answersFor(expected('000000000161', 0x02_01_01_00));
      const bytes = hex(answer);
      expect(answers.take(bytes, bytes.length)).to.equal('damaged');
    }
  });
});

function sumOf(frame: Buffer): string {
  const sum = frame.subarray(4, -2).reduce((total, byte) => total + byte, 0) % 256;
  return `${sum.toString(16).padStart(2, '0')}16`;
}
