import { DataType, type Value } from '@tagway/sdk';

/** How addresses go on behind the name of an area: bits, texts, and what is neither. */
export const addressRests = ['12.0', '12.05', '12.15', '12.16', '12.20H', '12.999L', '12.0H', '', '-1'];

type Tag = readonly [address: string, type: DataType, value: Value];

/** Puts values into words from 0 on, and says how tags of D have them: the lowest word first, the high byte first. */
export function codedWords(d: Uint16Array): readonly Tag[] {
  d.set([0x8001, 0xffff, 0x5678, 0x1234, 0x0000, 0xc048], 0);
  d.set([0x0000, 0x0000, 0x4000, 0xc00c], 20);
  d.set([0x4142, 0x4344, 0x4546], 30);
  d.set([0b1000_0000_0010_0000], 40);
  return [
    ['D0', DataType.INT16, -32_767],
    ['D0', DataType.UINT16, 0x8001],
    ['D1', DataType.INT16, -1],
    ['D2', DataType.INT32, 0x1234_5678],
    ['D2', DataType.UINT32, 0x1234_5678],
    ['D4', DataType.FLOAT, -3.125],
    ['D20', DataType.DOUBLE, -3.53125],
    ['D30.6', DataType.STRING, 'ABCDEF'],
    ['D30.5H', DataType.STRING, 'ABCDE'],
    ['D30.6L', DataType.STRING, 'BADCFE'],
    ['D40.5', DataType.BIT, 1],
    ['D40.15', DataType.BIT, 1],
    ['D40.6', DataType.BIT, 0],
  ];
}

/** Values to write one behind the other into words from 0 on, and the words that they make. */
export const codedWrites: readonly Tag[] = [
  ['D0', DataType.INT16, -2],
  ['D1', DataType.UINT16, 65_535],
  ['D2', DataType.INT32, 0x1234_5678],
  ['D4', DataType.FLOAT, -3.125],
  ['D6', DataType.DOUBLE, -3.53125],
  ['D10.6', DataType.STRING, 'ABCDE'],
  ['D13.6L', DataType.STRING, 'ABCDEF'],
];

export const writtenWords = [
  ...[0xfffe, 0xffff, 0x5678, 0x1234, 0x0000, 0xc048, 0x0000, 0x0000, 0x4000, 0xc00c],
  ...[0x4142, 0x4344, 0x4500, 0x4241, 0x4443, 0x4645],
];
