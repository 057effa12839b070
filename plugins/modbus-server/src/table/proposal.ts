import { Area } from '@tagway/modbus/server';
import {
  type Column,
  DataType,
  dataTypeName,
  formatReference,
  type Layout,
  numberSize,
  type PreviewMessage,
} from '@tagway/sdk';
import { areaName, type Row, type RowSettings } from './row.ts';
import { rowsOf } from './table.ts';

/** Bytes that a text or bytes get. */
const textLength = 32;

/** What a proposal is about. */
export interface ProposalOf {
  readonly table: string;
  readonly settings: RowSettings;
  readonly unit: number;
  /** The first number that is proposed, as the table has it; undefined: that behind what the table has. */
  readonly address: number | undefined;
  readonly layout: Layout;
}

/** Rows for the tags of a group that the table does not have: behind what it has, in the order of the group, each in the table that fits it. */
export function proposal({ table, settings, unit, address, layout }: ProposalOf): readonly PreviewMessage[] {
  const rows = rowsOf(table, settings);
  if (typeof rows === 'string') return [];
  const { driver, group } = layout;
  const known = new Set(rows.map(({ reference }) => formatReference(reference)));
  const places = new NextPlaces(rows, unit, address === undefined ? 0 : address - settings.address_base);
  const lines: string[] = [];
  for (const column of layout.columns) {
    const text = formatReference({ node: driver, group, tag: column.name });
    if (known.has(text)) continue;
    const { area, type, count, suffix } = placeFor(column);
    const start = places.take(area, count);
    if (start === undefined) continue;
    const fields = [unit, areaName(area), `${start + settings.address_base}${suffix}`, dataTypeName(type)];
    lines.push(`tag('${text}'),${fields.join(',')},,,r`);
  }
  if (lines.length === 0) return [];
  const head = 'tag,unit,table,address,type,order,scale,access';
  return [{ topic: 'table', payload: [head, ...lines, ''].join('\n') }];
}

interface Place {
  readonly area: Area;
  readonly type: DataType;
  readonly count: number;
  readonly suffix: string;
}

function placeFor({ scaled, type, writable: isWritable }: Column): Place {
  if (type === DataType.BIT || type === DataType.BOOL)
    return { area: isWritable ? Area.COIL : Area.DISCRETE_INPUT, type: DataType.BIT, count: 1, suffix: '' };
  const area = isWritable ? Area.HOLDING_REGISTER : Area.INPUT_REGISTER;
  // What is scaled has decimals.
  if (scaled && numberSize(type) !== 8) return { area, type: DataType.FLOAT, count: 2, suffix: '' };
  switch (type) {
    case DataType.INT8:
      return { area, type: DataType.INT16, count: 1, suffix: '' };
    case DataType.UINT8:
      return { area, type: DataType.UINT16, count: 1, suffix: '' };
    case DataType.INT16:
    case DataType.UINT16:
      return { area, type, count: 1, suffix: '' };
    case DataType.INT32:
    case DataType.UINT32:
    case DataType.FLOAT:
      return { area, type, count: 2, suffix: '' };
    case DataType.STRING:
    case DataType.BYTES:
      return { area, type, count: textLength / 2, suffix: `.${textLength}` };
    default:
      return { area, type: scaled ? DataType.DOUBLE : type, count: 4, suffix: '' };
  }
}

/** The first place behind those that are taken, of each table of one unit. */
class NextPlaces {
  readonly #next = new Map<Area, number>();
  readonly #first: number;

  constructor(rows: readonly Row[], unit: number, first: number) {
    this.#first = first;
    for (const row of rows) {
      if (row.unit !== unit) continue;
      this.#behind(row.area, row.start + row.count);
      if (row.quality !== undefined) this.#behind(Area.DISCRETE_INPUT, row.quality + 1);
    }
  }

  /** Undefined when the table has no room. */
  take(area: Area, count: number): number | undefined {
    const start = this.#next.get(area) ?? this.#first;
    if (start + count > 65_536) return undefined;
    this.#next.set(area, start + count);
    return start;
  }

  #behind(area: Area, end: number): void {
    this.#next.set(area, Math.max(this.#next.get(area) ?? this.#first, end));
  }
}
