import {
  DataType,
  ErrorCode,
  Fault,
  formatReference,
  type Inputs,
  inputsOf,
  isFault,
  type Point,
  type Value,
} from '@tagway/sdk';

/** What an input has in a test: a value, a fault, or either with its type, time and quality. */
export type InputSetting =
  | Value
  | Fault
  | {
      readonly value: Value | Fault;
      readonly type?: DataType;
      readonly time?: number;
      readonly quality?: number;
    };

/** Inputs for one call about these points. */
export interface InputsOptions {
  /** Texts of the references that are fresh; default none. */
  readonly fresh?: readonly string[];
  /** Milliseconds since the epoch; default now. */
  readonly timestamp?: number;
}

/** The inputs of points, by the texts of their references; one that is not among them is missing. */
export function inputsFor(
  points: readonly Pick<Point, 'address'>[],
  settings: Readonly<Record<string, InputSetting>>,
  { fresh = [], timestamp = Date.now() }: InputsOptions = {},
): Inputs {
  const references = inputsOf(points);
  const texts = references.map(formatReference);
  const inputs = texts.map((text) => {
    const given = settings[text];
    if (given === undefined)
      return { value: new Fault(ErrorCode.TAG_NOT_FOUND, `There is no tag "${text}" that can be read.`) };
    return typeof given === 'object' && 'value' in given ? given : { value: given };
  });
  const valueOf = (index: number): Value | Fault | undefined => inputs[index]?.value;
  return {
    references,
    fresh: Uint32Array.from(fresh, (text) => texts.indexOf(text)).sort(),
    timestamp,
    type: (index) => inputs[index]?.type ?? typeOf(valueOf(index)),
    number: (index) => {
      const value = valueOf(index);
      return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : NaN;
    },
    integer: (index) => {
      const value = valueOf(index);
      return typeof value === 'bigint' ? value : 0n;
    },
    text: (index) => {
      const value = valueOf(index);
      return typeof value === 'string' ? value : '';
    },
    bytes: (index) => {
      const value = valueOf(index);
      return value instanceof Uint8Array ? value : new Uint8Array(0);
    },
    fault: (index) => {
      const value = valueOf(index);
      return isFault(value) ? value : undefined;
    },
    time: (index) => inputs[index]?.time ?? timestamp,
    quality: (index) => inputs[index]?.quality ?? 0,
  };
}

function typeOf(value: Value | Fault | undefined): DataType | undefined {
  switch (typeof value) {
    case 'number':
      return DataType.DOUBLE;
    case 'bigint':
      return DataType.INT64;
    case 'boolean':
      return DataType.BOOL;
    case 'string':
      return DataType.STRING;
    default:
      return value instanceof Uint8Array ? DataType.BYTES : undefined;
  }
}
