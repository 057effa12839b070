import { RowCursor } from './cursor.ts';
import { Kind } from './record.ts';

/** Where the rows of a record go, by names, and the rows as JSON, one a line; undefined for a record of another version of the plugin. */
export function shownRows(
  record: Uint8Array,
  ofDevice: boolean,
): { readonly node: string; readonly group: string; readonly rows: string } | undefined {
  const cursor = new RowCursor();
  if (!cursor.open(record)) return undefined;
  const lines: string[] = [];
  while (cursor.advance()) {
    const { quality, kind } = cursor;
    const value =
      kind === Kind.FAULT ? { error: cursor.data.readInt32BE(cursor.value) } : { value: valueOf(cursor) };
    lines.push(
      JSON.stringify({
        time: new Date(cursor.timeOf(ofDevice)).toISOString(),
        tag: cursor.text(cursor.tag, cursor.tagLength),
        ...value,
        ...(quality !== 0 && { quality }),
      }),
    );
  }
  return {
    node: cursor.text(cursor.node, cursor.nodeLength),
    group: cursor.text(cursor.group, cursor.groupLength),
    rows: lines.join('\n'),
  };
}

/** The value of the row at hand as JSON has it: integers that a double may not hold, and bytes, as texts. */
function valueOf({ data, kind, value: at, valueLength }: RowCursor): string | number | boolean {
  switch (kind) {
    case Kind.FLOAT:
      return data.readDoubleBE(at);
    case Kind.INT:
      return integer(data.readBigInt64BE(at));
    case Kind.UINT:
      return integer(data.readBigUInt64BE(at));
    case Kind.BOOL:
      return data[at] === 1;
    case Kind.BYTES:
      return `\\x${data.toString('hex', at, at + valueLength)}`;
    default:
      return data.toString('utf8', at, at + valueLength);
  }
}

function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
