import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../configure.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, startDriver } from './stand.ts';

export const mixedCases: readonly DataPathCase[] = [
  { name: 'FLOAT, STRING and 64 bits, 10k @ 100 ms', tags: 10_000, interval: 100, hasTargets: false },
];

/** Registers whose number is two printable characters from "0" to "o": 64 blocks of 64 registers. */
const blocks = 64;
const printable = 0x30;

/** Kinds of tags, each with the register at which the one with this number begins; the device holds `n` in register `n`. */
const kinds: readonly { type: DataType; length: string; registerOf: (number: number) => number }[] = [
  // From 0x4100 on: 8.06 and more.
  { type: DataType.FLOAT, length: '', registerOf: (number) => 0x4100 + 2 * (number % 1000) },
  {
    type: DataType.STRING,
    length: '.8',
    registerOf: (number) =>
      ((printable + (Math.floor(number / 16) % blocks)) << 8) + printable + 4 * (number % 16),
  },
  { type: DataType.INT64, length: '', registerOf: (number) => 20_000 + 4 * (number % 2500) },
  { type: DataType.UINT64, length: '', registerOf: (number) => 40_000 + 4 * (number % 2500) },
];

/** Tags of all kinds in turn, on as many units as it takes, after the device's clock. */
function mixedTags(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => {
    if (index === 0)
      return { name: 'clock', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 };
    const number = Math.floor(index / kinds.length);
    const { type, length, registerOf } = kinds[index % kinds.length] as (typeof kinds)[number];
    const register = String(1 + registerOf(number)).padStart(5, '0');
    const address = `${1 + Math.floor(number / 1000)}!4${register}${length}`;
    return { name: `tag${index}`, address, attribute: Attribute.READ, type };
  });
}

/** A group of values that are no small integers. */
export async function measureMixed(test: DataPathCase, run: Run): Promise<void> {
  // Values stay as they are, because registers that count on their own make texts and singles that are none.
  await using stand = await openStand(run, { device: { changing: 1 } });
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', test.interval, mixedTags(test.tags));
  const start = (): Promise<void> => startDriver(stand, 'plant');
  await measureUploads(test, uploadsOf(stand, start), run);
}
