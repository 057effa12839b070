import { DataType } from '@tagway/sdk';

/** The points of the conformance suite, on a device whose register 99 is missing. */
export const conformancePoints = {
  points: [
    { address: '1!400001' },
    { address: '1!400003', type: DataType.INT32 },
    { address: '1!400005', type: DataType.INT64 },
    { address: '1!400009', type: DataType.UINT64 },
    { address: '1!400013', type: DataType.FLOAT },
    { address: '1!000001', type: DataType.BIT },
    { address: '1!400020.4', type: DataType.STRING },
    { address: '1!400024.4', type: DataType.BYTES },
  ],
  refused: { address: '1!400100' },
  malformed: { address: '1!500001' },
  writes: [
    { address: '1!400201', value: 42 },
    { address: '1!400203', type: DataType.INT64, value: -(2n ** 60n) },
    { address: '1!400209', type: DataType.FLOAT, value: 1.5 },
  ],
};
