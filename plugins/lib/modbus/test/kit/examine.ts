import { expect } from 'chai';
import { DataType, ErrorCode, type Driver, type Value } from '@tagway/sdk';
import { pointsOf, write } from '@tagway/testkit';
import { readings } from './readings.ts';

/** What the peers of the e2e folder have in common: their pattern, their hole at 1000 to 1009, and that they take writes. */
export async function examine(driver: Driver): Promise<void> {
  const points = pointsOf(
    ...Array.from({ length: 300 }, (_, index) => [`1!4${index + 1}`, DataType.UINT16] as const),
    ['1!300001', DataType.UINT16],
    ['1!300003', DataType.UINT32],
    ...Array.from({ length: 40 }, (_, index) => [`1!0${index + 1}`, DataType.BIT] as const),
    ...Array.from({ length: 40 }, (_, index) => [`1!1${index + 1}`, DataType.BIT] as const),
  );
  const expected: Value[] = [
    ...Array.from({ length: 300 }, (_, index) => index),
    65_535,
    65_533 * 65_536 + 65_532,
    ...Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? 1 : 0)),
    ...Array.from({ length: 40 }, (_, index) => (index % 5 === 0 ? 1 : 0)),
  ];
  expect(await readings(driver, points)).to.deep.equal(expected);

  const acrossHole = pointsOf(...Array.from({ length: 30 }, (_, index) => `1!4${index + 991}`));
  expect(await readings(driver, acrossHole)).to.deep.equal(
    Array.from({ length: 30 }, (_, index) =>
      index >= 10 && index < 20 ? `fault ${ErrorCode.READ_FAILED}` : index + 990,
    ),
  );

  const writable = pointsOf(
    ['1!400501', DataType.INT16],
    ['1!400502', DataType.DOUBLE],
    ['1!400510.9H', DataType.STRING],
    ['1!000501', DataType.BIT],
    ['1!000502', DataType.BIT],
    ['1!000510', DataType.BIT],
  );
  const values: Value[] = [-5, -1e300, 'libmodbus', 1, 1, 1];
  const writes = writable.map((point, index) => ({ point, value: values[index]! }));
  expect(await write(driver, writes)).to.deep.equal(values.map(() => undefined));
  expect(await readings(driver, writable)).to.deep.equal(values);

  const [refused] = pointsOf('1!401005');
  const [fault] = await write(driver, [{ point: refused!, value: 1 }]);
  expect(fault?.code).to.equal(ErrorCode.WRITE_FAILED);
}
