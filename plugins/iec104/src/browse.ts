import { type BrowsePage, type BrowseRequest, ErrorCode, Fault } from '@tagway/sdk';
import { type Cache, Kind } from './cache.ts';
import { typeOfKind } from './decode.ts';

const pageSize = 1000;

const names: Readonly<Record<Kind, string>> = {
  [Kind.NONE]: '',
  [Kind.SINGLE]: 'Single point',
  [Kind.DOUBLE]: 'Double point',
  [Kind.STEP]: 'Step position',
  [Kind.BIT_STRING]: 'Bit string',
  [Kind.NORMALIZED]: 'Normalized value',
  [Kind.SCALED]: 'Scaled value',
  [Kind.SHORT_FLOAT]: 'Short floating point value',
  [Kind.COUNTER]: 'Counter',
};

const flat = new Fault(
  ErrorCode.READ_FAILED,
  'There is nothing below an information object: browse from the top.',
);

/** Lists what the station has reported on this connection: the protocol has no list of its own. */
export function browse(cache: Cache, { id, cursor = '0' }: BrowseRequest): BrowsePage {
  if (id !== '') throw flat;
  const all = cache.reported();
  const after = Number(cursor);
  const from = all.findIndex(({ object }) => object > after);
  const page = from < 0 ? [] : all.slice(from, from + pageSize);
  const last = page.at(-1)?.object;
  return {
    total: all.length,
    type: 0,
    isArray: false,
    entries: page.map(({ object, kind }) => ({
      name: String(object),
      id: String(object),
      readable: true,
      type: typeOfKind(kind),
      description: names[kind],
    })),
    ...(last !== undefined && last !== all.at(-1)?.object && { cursor: String(last) }),
  };
}
