import { type BrowsePage, type BrowseRequest, DataType, ErrorCode, Fault } from '@tagway/sdk';
import { Kind } from '@tagway/iec104';
import type { Cache } from './cache.ts';

const pageSize = 1000;

/** What each kind is called, and the type of a tag that shows all its values. */
const kinds: Readonly<Record<Kind, readonly [description: string, type: DataType | 0]>> = {
  [Kind.NONE]: ['', 0],
  [Kind.SINGLE]: ['Single point', DataType.BIT],
  [Kind.DOUBLE]: ['Double point', DataType.UINT8],
  [Kind.STEP]: ['Step position', DataType.INT8],
  [Kind.BIT_STRING]: ['Bit string', DataType.UINT32],
  [Kind.NORMALIZED]: ['Normalized value', DataType.FLOAT],
  [Kind.SCALED]: ['Scaled value', DataType.INT16],
  [Kind.SHORT_FLOAT]: ['Short floating point value', DataType.FLOAT],
  [Kind.COUNTER]: ['Counter', DataType.INT32],
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
    entries: page.map(({ object, kind }) => {
      const [description, type] = kinds[kind];
      return { name: String(object), id: String(object), readable: true, type, description };
    }),
    ...(last !== undefined && last !== all.at(-1)?.object && { cursor: String(last) }),
  };
}
