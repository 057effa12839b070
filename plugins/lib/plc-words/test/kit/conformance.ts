import { DataType } from '@tagway/sdk';

/** First words of the area D of a PLC on which the conformance suite runs; its word 99 is to be missing. */
export const conformanceWords = [1, 2, 0x5678, 0x1234, 0x4142, 0x4344];

/** What the suite asks of that area. */
export const conformancePoints = {
  points: [
    { address: 'D0' },
    { address: 'D2', type: DataType.INT32 },
    { address: 'D0.0', type: DataType.BIT },
    { address: 'D4.4', type: DataType.STRING },
  ],
  refused: { address: 'D99' },
  malformed: { address: 'Q1' },
  writes: [
    { address: 'D201', value: 42 },
    { address: 'D209', type: DataType.FLOAT, value: 1.5 },
    { address: 'D220.5', type: DataType.STRING, value: 'abcde' },
    { address: 'D300.999', type: DataType.STRING, value: '中'.repeat(333) },
  ],
};
