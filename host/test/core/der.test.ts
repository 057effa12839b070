import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { derElements, DerTag, naturalOf, oidOf, textOf } from '../../src/core/access/der.ts';

const element = (tag: number, ...bytes: number[]) => ({ tag, content: Uint8Array.from(bytes) });

describe('DER', () => {
  it('is taken apart, with short and long lengths', () => {
    const long = new Uint8Array(300).fill(7);
    const bytes = Uint8Array.from([0x02, 0x01, 0x05, 0x04, 0x82, 0x01, 0x2c, ...long, 0x05, 0x00]);
    expect(derElements(bytes)).to.deep.equal([
      element(2, 5),
      { tag: 4, content: long },
      { tag: 5, content: new Uint8Array() },
    ]);
  });

  it('that is cut off, or of no definite length, is refused', () => {
    for (const bytes of [
      [2],
      [2, 1],
      [2, 0x81],
      [2, 0x82, 1],
      [0x30, 0x80, 0, 0],
      [2, 0x85, 0, 0, 0, 0, 1, 1],
    ])
      expect(() => derElements(Uint8Array.from(bytes)), String(bytes)).to.throw();
  });

  it('never does anything but return elements or throw an error, whatever the bytes are', () => {
    for (let i = 0; i < 2000; i++) {
      const bytes = randomBytes(i % 64);
      try {
        for (const one of derElements(bytes)) {
          oidOf(one);
          textOf(one);
          naturalOf(one);
        }
      } catch (error) {
        expect(error).to.be.instanceOf(Error);
      }
    }
  });

  it('gives object identifiers in dots, large arcs too', () => {
    // X.690 section 8.19.5, and 2.999 of its example.
    expect(oidOf(element(6, 0x88, 0x37, 0x03))).to.equal('2.999.3');
    expect(oidOf(element(6, 0x55, 0x1d, 0x11))).to.equal('2.5.29.17');
    expect(oidOf(element(6, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d))).to.equal('1.2.840.113549');
    const uuid = '322535643797080601165138868762541681243';
    const groups: number[] = [];
    for (let rest = BigInt(uuid); rest > 0n; rest >>= 7n) groups.unshift(Number(rest & 127n));
    const arc = groups.map((group, i) => (i < groups.length - 1 ? group | 0x80 : group));
    expect(oidOf(element(6, 0x69, ...arc, 1))).to.equal(`2.25.${uuid}.1`);
  });

  it('gives natural numbers, and refuses others', () => {
    expect(naturalOf(element(DerTag.INTEGER, 0))).to.equal(0);
    expect(naturalOf(element(DerTag.INTEGER, 0, 0xff))).to.equal(255);
    expect(naturalOf(element(DerTag.INTEGER, 0, 0xff, 0xff, 0xff, 0xff))).to.equal(2 ** 32 - 1);
    for (const bytes of [[], [0xff], [1, 0, 0, 0, 0]])
      expect(() => naturalOf(element(DerTag.INTEGER, ...bytes)), String(bytes)).to.throw();
    expect(() => naturalOf(element(DerTag.UTF8_STRING, 1))).to.throw();
  });

  it('gives texts, and refuses what is not UTF-8', () => {
    expect(textOf(element(DerTag.UTF8_STRING, 0xc3, 0xa9))).to.equal('é');
    expect(() => textOf(element(DerTag.UTF8_STRING, 0xff))).to.throw();
    expect(() => textOf(element(DerTag.INTEGER, 65))).to.throw();
  });
});
