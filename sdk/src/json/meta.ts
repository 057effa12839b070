import { errorMeaning } from '@tagway/schemas';
import { type Column, faultAt, type Sample } from '../sample.ts';

/** Most bytes of the text that `metaOf` returns. */
export const metaLength = 96;

/** Whether a row has a source time, or a quality that is not good. */
export function hasMeta({ timestamps, qualities }: Sample, row: number): boolean {
  return (timestamps !== undefined && !Number.isNaN(timestamps[row])) || (qualities?.[row] ?? 0) !== 0;
}

/** Source time and quality of a row as members of a JSON object, each with a comma before it. */
export function metaOf({ timestamps, qualities }: Sample, row: number): string {
  const time = timestamps?.[row] ?? NaN;
  const quality = qualities?.[row] ?? 0;
  const isKnown = Math.abs(time) < 8.64e15;
  return `${isKnown ? `,"timestamp":${Math.trunc(time)}` : ''},"quality":${quality}`;
}

/** Why a row has the error `code`, in one sentence. */
export function messageOf(sample: Sample, row: number, code: number): string {
  const pair = faultAt(sample, row);
  const { reasons } = sample;
  return reasons?.texts[reasons.indices[pair] ?? -1] || errorMeaning(code);
}

/** Of each column its unit and span as members of a JSON object, each with a comma before it; undefined where none has any. */
export function describedBy(columns: readonly Column[]): readonly (Buffer | undefined)[] | undefined {
  if (!columns.some(({ unit, low }) => unit !== undefined || low !== undefined)) return undefined;
  return columns.map(({ unit, low, high }) => {
    const text = JSON.stringify({ unit, low, high });
    return text === '{}' ? undefined : Buffer.from(`,${text.slice(1, -1)}`);
  });
}
