import { Attribute, ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { isNumeric } from '@tagway/sdk/internal';
import type { TagBody } from '../model.ts';

type Reporting = Pick<TagBody, 'type' | 'attribute' | 'deadband' | 'unit' | 'low' | 'high' | 'isBits'>;

/** What is wrong with the deadband, the unit or the span of a tag, as the end of a sentence that begins with the tag. */
function problemOf(tag: Reporting): { readonly code: number; readonly problem: string } | undefined {
  const { deadband = 0, unit = '', low, high } = tag;
  const isNumber = isNumeric(tag.type) && tag.isBits !== true;
  if (Buffer.byteLength(unit) > Limits.tagUnit) {
    const problem = `has a unit of ${Buffer.byteLength(unit)} bytes of UTF-8; ${Limits.tagUnit} are allowed.`;
    return { code: ErrorCode.TAG_UNIT_INVALID, problem };
  }
  const span = (problem: string) => ({ code: ErrorCode.TAG_SPAN_INVALID, problem });
  if ((low === undefined) !== (high === undefined))
    return span(`has ${low === undefined ? 'high' : 'low'} alone; a span has low and high.`);
  if (low !== undefined && high !== undefined) {
    if (!isNumber) return span('has low and high, which only tags of a numeric type have; leave them out.');
    if (!Number.isFinite(high - low) || low >= high)
      return span(`has a low of ${low} and a high of ${high}; both are finite, and low is less than high.`);
  }
  if (deadband === 0) return undefined;
  const wrong = (problem: string) => ({ code: ErrorCode.TAG_DEADBAND_INVALID, problem });
  if (!isNumber) return wrong('has a deadband, which only tags of a numeric type have; leave it out.');
  if ((tag.attribute & Attribute.STATIC) !== 0)
    return wrong('has a deadband and is static, so that its value does not move; leave it out.');
  if (typeof deadband === 'number') {
    if (Number.isFinite(deadband) && deadband > 0) return undefined;
    return wrong(
      `has a deadband of ${deadband}; it is a finite number of at least 0, or a percentage such as "2%".`,
    );
  }
  const percent = percentOf(deadband);
  if (percent === undefined || percent > 100) {
    const shown = JSON.stringify(deadband.slice(0, 40));
    return wrong(
      `has a deadband of ${shown}; it is a number, or a percentage of "0%" to "100%" such as "2%".`,
    );
  }
  if (low === undefined)
    return wrong(`has a deadband of "${deadband}" and no span that it is a part of; give it low and high.`);
  return undefined;
}

/** The deadband of a sound tag in shown values; 0 where it has none. */
export function deadbandOf({
  deadband = 0,
  low = 0,
  high = 0,
}: Pick<Reporting, 'deadband' | 'low' | 'high'>): number {
  if (typeof deadband === 'number') return deadband;
  return ((percentOf(deadband) ?? 0) / 100) * (high - low);
}

function percentOf(text: string): number | undefined {
  return /^\d{1,3}(\.\d{1,15})?%$/.test(text) ? Number(text.slice(0, -1)) : undefined;
}

/** Refuses a deadband, a unit or a span that is wrong, with a sentence that names the tag. */
export function checkReporting(name: string, tag: Reporting): Fault | undefined {
  const found = problemOf(tag);
  return found && new Fault(found.code, `The tag "${name}" ${found.problem}`);
}
