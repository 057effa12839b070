import { ErrorCode, Limits, type Reporting, type ReportingProblem, reportingProblem } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

const codes = {
  deadband: ErrorCode.TAG_DEADBAND_INVALID,
  unit: ErrorCode.TAG_UNIT_INVALID,
  low: ErrorCode.TAG_SPAN_INVALID,
  high: ErrorCode.TAG_SPAN_INVALID,
} as const;

/** Refuses a deadband, a unit or a span that is wrong, with a sentence that names the tag. */
export function checkReporting(name: string, tag: Reporting): Fault | undefined {
  const problem = reportingProblem(tag);
  return (
    problem && new Refusal(codes[problem.field], sentence`The tag "${name}" ${sentenceOf(problem, tag)}`)
  );
}

/** The end of a sentence that begins with the tag. */
function sentenceOf({ field, rule }: ReportingProblem, tag: Reporting): Sentence {
  const { deadband = '', unit = '', low, high } = tag;
  if (field === 'unit')
    return sentence`has a unit of ${Buffer.byteLength(unit)} bytes of UTF-8; ${Limits.tagUnit} are allowed.`;
  const shown = typeof deadband === 'number' ? deadband : JSON.stringify(deadband.slice(0, 40));
  switch (rule) {
    case 'missing':
      return sentence`has ${field === 'low' ? 'high' : 'low'} alone; a span has low and high.`;
    case 'order':
      return sentence`has a low of ${String(low)} and a high of ${String(high)}; both are finite, and low is less than high.`;
    case 'type':
      return field === 'low'
        ? sentence`has low and high, which only tags of a numeric type have; leave them out.`
        : sentence`has a deadband, which only tags of a numeric type have; leave it out.`;
    case 'static':
      return sentence`has a deadband and is static, so that its value does not move; leave it out.`;
    case 'number':
      return sentence`has a deadband of ${shown}; it is a finite number of at least 0, or a percentage such as "2%".`;
    case 'percentage':
      return sentence`has a deadband of ${shown}; it is a number, or a percentage of "0%" to "100%" such as "2%".`;
    case 'spanless':
      return sentence`has a deadband of ${shown} and no span that it is a part of; give it low and high.`;
  }
}
