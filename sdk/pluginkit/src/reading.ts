import { DataType, Fault, isFault, rowsOf, type Sample, type Value } from '@tagway/sdk';

/** A value in the form of its type, or the fault in its place. */
export type Outcome = Value | Fault;

/** All columns of a sample, or the rows of an event sample, in their order. */
export function outcomesOf(sample: Sample): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const { value, fault, reason } of rowsOf(sample, { all: true }))
    outcomes.push(value ?? new Fault(fault, reason));
  return outcomes;
}

/** The `typeof` of a value of each type. */
export function kindOf(type: DataType): string {
  if (type === DataType.INT64 || type === DataType.UINT64) return 'bigint';
  if (type === DataType.BOOL) return 'boolean';
  if (type === DataType.STRING) return 'string';
  return type === DataType.BYTES ? 'object' : 'number';
}

export const isValue = (outcome: Outcome): boolean => !isFault(outcome);

/** Every point has a value. */
export const isWhole = (reading: readonly Outcome[]): boolean => reading.every(isValue);

/** Every point has a fault. */
export const isFailed = (reading: readonly Outcome[]): boolean => reading.every(isFault);
