import { createRequire } from 'node:module';

/** A metric as protobufjs decodes it: only fields that are on the wire are own properties. */
export interface WireMetric {
  readonly name?: string;
  readonly alias?: { toNumber(): number };
  readonly timestamp?: { toNumber(): number };
  readonly datatype?: number;
  readonly isHistorical?: boolean;
  readonly isNull?: boolean;
  readonly properties?: {
    readonly keys: readonly string[];
    readonly values: readonly { readonly type: number; readonly intValue: number }[];
  };
  readonly intValue?: number;
  readonly longValue?: { toString(): string };
  readonly floatValue?: number;
  readonly doubleValue?: number;
  readonly booleanValue?: boolean;
  readonly stringValue?: string;
  readonly bytesValue?: Uint8Array;
}

export interface WirePayload {
  readonly timestamp?: { toNumber(): number };
  readonly metrics: readonly WireMetric[];
  readonly seq?: { toNumber(): number };
}

const { org } = createRequire(import.meta.url)('sparkplug-payload/lib/sparkplugPayloadProto.js') as {
  readonly org: {
    readonly eclipse: {
      readonly tahu: { readonly protobuf: { readonly Payload: { decode(bytes: Uint8Array): WirePayload } } };
    };
  };
};

/** Decodes with the library that is made of the official schema. */
export function decode(bytes: Uint8Array): WirePayload {
  return org.eclipse.tahu.protobuf.Payload.decode(bytes);
}

const values = [
  'intValue',
  'longValue',
  'floatValue',
  'doubleValue',
  'booleanValue',
  'stringValue',
  'bytesValue',
] as const;

/** The names of the value fields that a metric has on the wire. */
export function valueFields(metric: WireMetric): string[] {
  return values.filter((name) => Object.hasOwn(metric, name));
}

/** The value of a metric as plainly as it can be compared; undefined when it has none. */
export function plain(metric: WireMetric): unknown {
  const [field] = valueFields(metric) as (typeof values)[number][];
  if (field === undefined) return undefined;
  const value = metric[field];
  if (field === 'longValue') return BigInt(String(value));
  return value instanceof Uint8Array ? [...value] : value;
}
