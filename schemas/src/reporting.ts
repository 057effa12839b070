import { isNumeric } from './data-types.ts';
import { Attribute, Limits } from './enumerations.ts';

/** What a tag says of its reports, its unit and its span. */
export interface Reporting {
  readonly type: number;
  readonly attribute: number;
  /** It was given one of the types for bits, which are no numbers. */
  readonly isBits?: boolean | undefined;
  /** In shown values, or a percentage of the span as a text. */
  readonly deadband?: number | string | undefined;
  readonly unit?: string | undefined;
  /** Span of the shown values; both or none. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** What may be wrong with them, by the member. */
export type ReportingProblem =
  | { readonly field: 'unit'; readonly rule: 'long' }
  | { readonly field: 'low' | 'high'; readonly rule: 'missing' }
  | { readonly field: 'low'; readonly rule: 'type' | 'order' }
  | { readonly field: 'deadband'; readonly rule: 'type' | 'static' | 'number' | 'percentage' | 'spanless' };

const encoder = new TextEncoder();

/** What is wrong with the deadband, the unit or the span of a tag: the first thing that is. */
export function reportingProblem(tag: Reporting): ReportingProblem | undefined {
  const { deadband = 0, unit = '', low, high } = tag;
  const isNumber = isNumeric(tag.type) && tag.isBits !== true;
  if (encoder.encode(unit).length > Limits.tagUnit) return { field: 'unit', rule: 'long' };
  if ((low === undefined) !== (high === undefined))
    return { field: low === undefined ? 'low' : 'high', rule: 'missing' };
  if (low !== undefined && high !== undefined) {
    if (!isNumber) return { field: 'low', rule: 'type' };
    if (!Number.isFinite(high - low) || low >= high) return { field: 'low', rule: 'order' };
  }
  const rule = deadband === 0 ? undefined : deadbandRule(tag, deadband, isNumber);
  return rule && { field: 'deadband', rule };
}

function deadbandRule({ attribute, low }: Reporting, deadband: number | string, isNumber: boolean) {
  if (!isNumber) return 'type';
  if ((attribute & Attribute.STATIC) !== 0) return 'static';
  if (typeof deadband === 'number') return Number.isFinite(deadband) && deadband > 0 ? undefined : 'number';
  if ((percentOf(deadband) ?? Infinity) > 100) return 'percentage';
  return low === undefined ? 'spanless' : undefined;
}

/** The deadband of a sound tag in shown values; 0 where it has none. */
export function deadbandOf({
  deadband = 0,
  low = 0,
  high = 0,
}: Pick<Reporting, 'deadband' | 'low' | 'high'>): number {
  return typeof deadband === 'number' ? deadband : ((percentOf(deadband) ?? 0) / 100) * (high - low);
}

function percentOf(text: string): number | undefined {
  return /^\d{1,3}(\.\d{1,15})?%$/.test(text) ? Number(text.slice(0, -1)) : undefined;
}
