import type { DataType, Reference } from '@tagway/schemas';
import type { Fault } from './fault.ts';

/**
 * The latest of what the points of a call, or the settings of an app, refer to. Of a call, input `i` is reference `i` of `inputsOf(points)`. An input has either a fault or a value,
 * which one of four methods gives, by its type. It is the same object for every call about the same points, and it changes between calls:
 * what a driver needs later it copies.
 */
export interface Inputs {
  /** The same array as long as the points are. */
  readonly references: readonly Reference[];
  /**
   * Of a call with the cause `input`: the inputs that are there anew, ascending, whether or not they differ from before: of a whole sample all
   * that its group has; of events those that came, so that an input that changes several times is fresh in as many calls, in order. Empty in
   * all other calls.
   */
  readonly fresh: Uint32Array;
  /** When the sample with the fresh inputs was read, in milliseconds since the epoch; in all other calls the time now. */
  readonly timestamp: number;
  /** As apps see it: DOUBLE where the tag has a decimal or a bias. Undefined as long as there is no such tag that can be read. */
  type(index: number): DataType | undefined;
  /** INT8 to UINT32, FLOAT, DOUBLE and scaled integers; BIT and BOOL as 0 or 1. NaN where the input has no such value. */
  number(index: number): number;
  /** INT64 and UINT64, by their sign. 0 where the input has no such value. */
  integer(index: number): bigint;
  /** STRING. Empty where the input has no such value. */
  text(index: number): string;
  /** BYTES, which may not be changed. Empty where the input has no such value. */
  bytes(index: number): Uint8Array;
  /** Why the input has no value, in a sentence that names it; undefined when it has one. The same object as long as the cause is. */
  fault(index: number): Fault | undefined;
  /** When the value or fault arose: at its source where that is known, otherwise when it was read. NaN before anything was. */
  time(index: number): number;
  /** Flags of `Quality`. */
  quality(index: number): number;
}
