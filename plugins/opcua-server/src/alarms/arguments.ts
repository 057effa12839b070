import type { LocalizedText } from 'node-opcua-data-model';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import { DataType, type Variant, VariantArrayType } from 'node-opcua-variant';
import type { Method } from './methods.ts';

/** What a client has given with a call. */
export interface CallArguments {
  readonly event?: Buffer | null;
  readonly comment?: string;
  /** Milliseconds. */
  readonly time?: number;
  readonly numbers: readonly number[];
}

/** Why arguments are none of a method: the status of the call, and of each where it is about one. */
export interface BadArguments {
  readonly status: StatusCode;
  readonly each?: StatusCode[];
}

const types = {
  event: DataType.ByteString,
  comment: DataType.LocalizedText,
  time: DataType.Double,
  number: DataType.UInt32,
} as const;

export function argumentsOf({ takes }: Method, given: readonly Variant[]): CallArguments | BadArguments {
  if (given.length < takes.length) return { status: StatusCodes.BadArgumentsMissing };
  if (given.length > takes.length) return { status: StatusCodes.BadTooManyArguments };
  const isRight = takes.map((kind, at) => {
    const { dataType, arrayType } = given[at]!;
    // An id that is missing is one that nobody knows, and a comment may be left out.
    const isNull = dataType === DataType.Null && (kind === 'event' || kind === 'comment');
    return isNull || (dataType === types[kind] && arrayType === VariantArrayType.Scalar);
  });
  if (isRight.includes(false))
    return {
      status: StatusCodes.BadInvalidArgument,
      each: isRight.map((is) => (is ? StatusCodes.Good : StatusCodes.BadTypeMismatch)),
    };
  const valueOf = (kind: string): unknown => given[takes.findIndex((one) => one === kind)]?.value;
  const comment = (valueOf('comment') as LocalizedText | null | undefined)?.text ?? '';
  return {
    event: (valueOf('event') as Buffer | null | undefined) ?? null,
    ...(comment !== '' && { comment }),
    time: Number(valueOf('time') ?? 0),
    numbers: given.filter((_, at) => takes[at] === 'number').map(({ value }) => Number(value)),
  };
}
