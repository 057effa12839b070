import { expect } from 'chai';
import {
  Attribute,
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
  ErrorCode,
  isFault,
} from '@tagway/sdk';
import type { Form } from '@tagway/sdk/harness';
import type { FaultData } from '@tagway/sdk/internal';
import { tagOf } from '../plugin-harness.ts';
import type { Library } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';

/** Pages that are asked for at most: a device may be large, and places may lead to one another. */
const mostPages = 60;

/** Registers tests of what a driver lists of its device. */
export function testBrowsing(form: Form, library: Library, options: DriverConformance): void {
  const { points, browsed = [], recovery = 30_000 } = options;

  it('lists what the device has page by page, with addresses that its check takes', async () => {
    await using fixture = await DriverFixture.open(form, library, options);
    const { harness } = fixture;
    await harness.start(1, fixture.settings);
    await harness.group(1, 1, points).until('values come', isWhole, recovery);
    const entries = await walk((browse) => harness.runner.ask({ op: 'browse', node: 1, browse }));
    const readable = entries.filter((entry) => entry.readable);
    expect(readable.length, 'entries that can be tags').to.be.greaterThan(0);
    for (const entry of entries) expect(entry.name, `the name of ${entry.id}`).to.not.equal('');
    const tags = readable.map(({ id, type }, at) =>
      tagOf({ address: id, ...(type !== 0 && { type }), attribute: Attribute.READ }, at),
    );
    const faults = (await harness.runner.ask({ op: 'checkTags', tags })) as readonly (
      FaultData | undefined
    )[];
    for (const [at, { id }] of readable.entries())
      expect(faults[at], `the check of ${id}`).to.equal(undefined);
    for (const wanted of browsed)
      expect(
        entries.some((entry) =>
          Object.entries(wanted).every(([key, value]) => entry[key as keyof BrowseEntry] === value),
        ),
        `${JSON.stringify(wanted)} among ${JSON.stringify(entries.slice(0, 20))}`,
      ).to.equal(true);
  });

  it('lists nothing of a place that is not there, and says so', async () => {
    await using fixture = await DriverFixture.open(form, library, options);
    const { harness } = fixture;
    await harness.start(1, fixture.settings);
    await harness.group(1, 1, points).until('values come', isWhole, recovery);
    const browse = { id: 'no such place, at all' };
    const answer: unknown = await harness.runner.ask({ op: 'browse', node: 1, browse }).then(
      () => 'a page',
      (error: unknown) => error,
    );
    expect(isFault(answer) && answer.code, String(answer)).to.equal(ErrorCode.READ_FAILED);
  });
}

type Ask = (request: BrowseRequest) => Promise<unknown>;

/** All entries from the top on, place by place, as far as the pages reach. */
async function walk(ask: Ask): Promise<BrowseEntry[]> {
  const found: BrowseEntry[] = [];
  const places = new Map([['', false]]);
  let left = mostPages;
  // A map gives what is put into it on the way, too.
  for (const [id, isTag] of places) {
    let request: BrowseRequest | undefined = { id };
    let listed = 0;
    while (request !== undefined) {
      if (left-- === 0) return found;
      const page = await pageOf(ask, request, isTag);
      if (page === undefined) break;
      const { entries, cursor, total } = page;
      listed += entries.length;
      found.push(...entries);
      for (const entry of entries) places.set(entry.id, entry.readable);
      expect(cursor, `the cursor of "${id}" after ${listed} entries`).to.not.equal(request.cursor ?? '');
      if (cursor === undefined && total !== undefined) expect(listed, `entries of "${id}"`).to.equal(total);
      request = cursor === undefined ? undefined : { id, cursor };
    }
  }
  return found;
}

/** Undefined for a tag below which there is nothing to list. */
async function pageOf(ask: Ask, request: BrowseRequest, isTag: boolean): Promise<BrowsePage | undefined> {
  try {
    return (await ask(request)) as BrowsePage;
  } catch (error) {
    if (isTag && isFault(error) && error.code === ErrorCode.READ_FAILED) return undefined;
    throw error;
  }
}
