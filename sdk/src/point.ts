import type { DataType } from '@tagway/schemas';
import type { Value } from './value.ts';
import type { Fault } from './fault.ts';

/** What a driver sees of a tag. Scaling, precision and the tag's description are the runner's business. */
export interface Point {
  readonly name: string;
  readonly address: string;
  readonly type: DataType;
  /** Flags of `Attribute`. */
  readonly attribute: number;
  /** Set on the point of a test read: leave out the byte order that the settings or the address ask for. */
  readonly raw?: boolean;
}

/** A value in the form its point's type asks for, or the fault of this point alone. */
export type Outcome = Value | Fault;

/** A value to write: scaled back to the device, of the point's type and within its range. */
export interface Write {
  readonly point: Point;
  readonly value: Value;
}
