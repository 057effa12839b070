import { type CommandMetric, decodeMetrics } from './decode.ts';
import { SparkplugType } from './datatype.ts';
import type { Target } from './device.ts';

/** Metrics of a message that its text has. */
const most = 40;

const bitsOf: ReadonlyMap<number | undefined, number> = new Map([
  [SparkplugType.INT8, 8],
  [SparkplugType.INT16, 16],
  [SparkplugType.INT32, 32],
  [SparkplugType.INT64, 64],
]);

/** What a payload says, in one line; undefined when it is no Sparkplug payload. `target`: the tag behind a metric of the last birth. */
export function explain(
  payload: Buffer,
  target: (id: string | number) => Target | undefined,
): string | undefined {
  try {
    const metrics = decodeMetrics(payload);
    const texts = metrics.slice(0, most).map((metric) => explainMetric(metric, target));
    const rest = metrics.length > most ? [`and ${metrics.length - most} more`] : [];
    return [...texts, ...rest].join(', ') || 'no metrics';
  } catch {
    return undefined;
  }
}

function explainMetric(
  { name, alias, datatype, value }: CommandMetric,
  target: (id: string | number) => Target | undefined,
): string {
  const id = name ?? (alias === undefined ? undefined : Number(alias));
  const born = id === undefined ? undefined : target(id);
  const shownName = name ?? born?.name ?? (alias === undefined ? 'a metric' : `alias ${alias}`);
  return `${shownName} = ${shown(value, datatype ?? born?.type)}`;
}

/** Signed integers are on the wire as unsigned ones. */
function shown(value: CommandMetric['value'], type: number | undefined): string {
  if (value === undefined) return 'null';
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  const bits = bitsOf.get(type);
  if (bits !== undefined && (typeof value === 'number' || typeof value === 'bigint'))
    return String(BigInt.asIntN(bits, BigInt(value)));
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
