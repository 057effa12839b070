import { type Column, type Sample, Store } from '@tagway/sdk';
import { DataValue } from 'node-opcua-data-value';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import { DataType, Variant } from 'node-opcua-variant';
import { variableType } from '../space/types.ts';
import { setValue, type ValueNode } from '../space/variable.ts';
import { statusOf, statusOfFlags } from './statuses.ts';

/** All values without one share it: nothing changes a variant. */
const nothing = new Variant(null);

/** A value that is none, for this reason. */
export function badValue(status: StatusCode, time: number): DataValue {
  return valueOf(nothing, status, new Date(time), new Date());
}

/** Writes samples into variables: what is due of each, with its time, status and value. */
export class SampleWriter {
  /** Values written so far. */
  count = 0;

  /** `nodes`: the variables of the columns of the sample's layout; undefined where there is none any more. */
  write(sample: Sample, nodes: readonly (ValueNode | undefined)[]): void {
    const { due, faults, layout, qualities, rows, timestamp, timestamps } = sample;
    const now = new Date();
    const read = new Date(timestamp);
    const count = rows?.length ?? layout.columns.length;
    let pair = 0;
    for (let row = 0; row < count; row++) {
      let fault = 0;
      if (faults[pair] === row) {
        fault = faults[pair + 1]!;
        pair += 2;
      }
      if (due?.[row] === 0) continue;
      const column = rows === undefined ? row : rows[row]!;
      const node = nodes[column];
      if (node === undefined) continue;
      const own = timestamps?.[row] ?? NaN;
      const source = own === own ? new Date(own) : read;
      if (fault !== 0) setValue(node, valueOf(nothing, statusOf(fault), source, now));
      else {
        const info = layout.columns[column]!;
        const quality = qualities?.[row] ?? 0;
        const status = quality === 0 ? StatusCodes.Good : statusOfFlags(quality);
        setValue(
          node,
          valueOf(variantOf(sample, info, rows === undefined ? info.place : row), status, source, now),
        );
      }
      this.count++;
    }
  }
}

function variantOf(
  { numbers, integers, objects }: Sample,
  { store, valueType }: Column,
  place: number,
): Variant {
  const variant = new Variant(null);
  variant.dataType = variableType(valueType);
  if (store === Store.NUMBER) {
    const number = numbers[place]!;
    variant.value = variant.dataType === DataType.Boolean ? number !== 0 : number;
  } else if (store === Store.INTEGER) {
    // The library has the two halves of 64 bits, the high one first.
    const bits = integers[place]!;
    variant.value = [Number((bits >> 32n) & 0xffff_ffffn), Number(bits & 0xffff_ffffn)];
  } else {
    const object = objects[place]!;
    variant.value = typeof object === 'string' ? object : Buffer.from(object);
  }
  return variant;
}

function valueOf(value: Variant, status: StatusCode, source: Date, server: Date): DataValue {
  const data = new DataValue(null);
  data.value = value;
  data.statusCode = status;
  data.sourceTimestamp = source;
  data.sourcePicoseconds = 0;
  data.serverTimestamp = server;
  data.serverPicoseconds = 0;
  return data;
}
