import type { DataType } from '@tagway/schemas';
import type { Value } from './value.ts';

/** What a driver sees of a tag. Scaling, precision and the tag's description are the runner's business. */
export interface Point {
  readonly name: string;
  readonly address: string;
  readonly type: DataType;
  /** Flags of `Attribute`. */
  readonly attribute: number;
  /**
   * Of a driver with inputs: the number of the tag, which it keeps as long as it exists, whatever its name and address become; no other tag
   * ever has it. Absent in a test read.
   */
  readonly id?: number;
}

/** A value to write: scaled back to the device, of the point's type and within its range. */
export interface Write {
  readonly point: Point;
  readonly value: Value;
  /** Who writes. Absent where that is not known. */
  readonly by?: Writer;
}

/** Who writes a value: a user or a token of the API by its name, or an app by the name of its node. */
export interface Writer {
  readonly kind: 'user' | 'app';
  readonly name: string;
}
