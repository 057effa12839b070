import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { checkTag, parseAddress } from '../src/address.ts';
import { XyBase, ZrBase } from '../src/settings.ts';
import { DeviceCode } from './simulator.ts';

const tag = (address: string, type: DataType) => ({ name: 'tag', address, type, attribute: Attribute.READ });

describe('addresses', () => {
  it('name bits by their device, in its base', () => {
    const bits: readonly (readonly [string, number, number])[] = [
      ['X1F', DeviceCode.X, 0x1f],
      ['Y0', DeviceCode.Y, 0],
      ['DX10', DeviceCode.DX, 0x10],
      ['DYA', DeviceCode.DY, 0xa],
      ['BB', DeviceCode.B, 0xb],
      ['SBFF', DeviceCode.SB, 0xff],
      ['M10', DeviceCode.M, 10],
      ['SM10', DeviceCode.SM, 10],
      ['L10', DeviceCode.L, 10],
      ['F10', DeviceCode.F, 10],
      ['V10', DeviceCode.V, 10],
      ['S10', DeviceCode.S, 10],
      ['TS10', DeviceCode.TS, 10],
      ['TC10', DeviceCode.TC, 10],
      ['SS10', DeviceCode.STS, 10],
      ['STS10', DeviceCode.STS, 10],
      ['SC10', DeviceCode.STC, 10],
      ['STC10', DeviceCode.STC, 10],
      ['CS10', DeviceCode.CS, 10],
      ['CC10', DeviceCode.CC, 10],
    ];
    for (const [address, area, start] of bits)
      expect(parseAddress(address, DataType.BIT), address).to.include({ area, start, end: start + 1 });
  });

  it('name words by their device, in its base', () => {
    const words: readonly (readonly [string, number, number])[] = [
      ['TN10', DeviceCode.TN, 10],
      ['SN10', DeviceCode.STN, 10],
      ['STN10', DeviceCode.STN, 10],
      ['CN10', DeviceCode.CN, 10],
      ['D10', DeviceCode.D, 10],
      ['SD10', DeviceCode.SD, 10],
      ['W10', DeviceCode.W, 0x10],
      ['WFF', DeviceCode.W, 0xff],
      ['SW1A', DeviceCode.SW, 0x1a],
      ['R10', DeviceCode.R, 10],
      ['ZR10', DeviceCode.ZR, 0x10],
      ['Z10', DeviceCode.Z, 10],
    ];
    for (const [address, area, start] of words)
      expect(parseAddress(address, DataType.FLOAT), address).to.include({ area, start, end: start + 2 });
    expect(parseAddress('D20.3', DataType.BIT)).to.include({ start: 20, end: 21, bit: 3 });
    expect(parseAddress('W1F.15', DataType.BIT)).to.include({ start: 0x1f, bit: 15 });
    expect(parseAddress('D20.5L', DataType.STRING)).to.include({
      start: 20,
      end: 23,
      length: 5,
      highFirst: false,
    });
  });

  it('have X and Y in octal and ZR in decimal when the settings say so', () => {
    const bases = { xy_base: XyBase.OCTAL, zr_base: ZrBase.DECIMAL };
    expect(parseAddress('X17', DataType.BIT, bases)).to.include({ start: 0o17 });
    expect(parseAddress('ZR100', DataType.INT16, bases)).to.include({ start: 100 });
    expect(parseAddress('DX17', DataType.BIT, bases)).to.include({ start: 0x17 });
    expect(checkTag(tag('Y8', DataType.BIT), bases)?.code).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    expect(checkTag(tag('ZRA', DataType.INT16), bases)?.code).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    expect(checkTag(tag('Y8', DataType.BIT))).to.equal(undefined);
  });

  it('are refused with what is expected in their place', () => {
    const rows: readonly (readonly [string, DataType, RegExp])[] = [
      ['D100.1000', DataType.STRING, /a length from 1 to 999 bytes/],
      ['XG', DataType.BIT, /The number of X is hexadecimal/],
      ['MA', DataType.BIT, /The number of M is decimal/],
      ['D', DataType.INT16, /The number of D is decimal/],
      ['T0', DataType.INT16, /TN, TS or TC/],
      ['C12', DataType.BIT, /CN, CS or CC/],
      ['ST3', DataType.BIT, /STN, STS or STC/],
    ];
    for (const [address, type, expected] of rows)
      expect(checkTag(tag(address, type))?.message, address).to.match(expected);
  });

  it('are refused with the code for what is wrong and a sentence', () => {
    const wrong: readonly (readonly [string, DataType, number])[] = [
      ['D100', DataType.BOOL, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D100', DataType.INT8, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D100', DataType.INT64, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D100', DataType.BYTES, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['M100', DataType.INT16, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['M100.1', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['MA', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['XG', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['Q1', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D1A', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['d1', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['W1000000', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['WFFFFFF', DataType.INT32, ErrorCode.TAG_ADDRESS_INVALID],
      ['D20', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['D20.16', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['D20.3', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D20', DataType.STRING, ErrorCode.TAG_ADDRESS_INVALID],
      ['D20.1000', DataType.STRING, ErrorCode.TAG_ADDRESS_INVALID],
    ];
    for (const [address, type, code] of wrong) {
      const fault = checkTag(tag(address, type));
      if (!isFault(fault)) throw new Error(`${address} was accepted.`);
      expect(fault.code, address).to.equal(code);
      expect(fault.message, address).to.match(/^[A-Z].*\.$/);
    }
  });
});
