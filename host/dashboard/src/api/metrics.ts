import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, addressOf } from './call.ts';

/** A line of the Prometheus text: a number with labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What the gateway counts, by the name of the metric without the gateway's prefix. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const escapes: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** Reads the Prometheus text format 0.0.4. Lines that it does not know are passed over. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const row of text.split('\n')) {
    const [, name, inner = '', number] = line.exec(row) ?? [];
    if (name === undefined || row.startsWith('#')) continue;
    const pairs = [...inner.matchAll(label)].map(([, key = '', value = '']) => [
      key,
      value.replaceAll(/\\[n"\\]/g, (sign) => escapes[sign] ?? sign),
    ]);
    const short = name.replace(/^tagway_/, '');
    const samples = metrics.get(short) ?? [];
    samples.push({ labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(number) });
    metrics.set(short, samples);
  }
  return metrics;
}

/** What each metric is, in English. */
function helpsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^# HELP (?:tagway_)?(\S+) (.*)$/gm);
  return new Map([...lines].map(([, name = '', help = '']) => [name, help]));
}

/** The first sample of a metric. */
export const firstOf = (metrics: Metrics, name: string): number | undefined => metrics.get(name)?.[0]?.value;

const sumOf = (metrics: Metrics, name: string): number =>
  (metrics.get(name) ?? []).reduce((sum, { value }) => sum + value, 0);

export interface Reading {
  readonly metrics: Metrics;
  /** What each metric is, in English. */
  readonly helps: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Tags read in a second since the reading before; undefined at the first one. */
  readonly rate: number | undefined;
}

async function read(node: string | undefined, before: Reading | undefined): Promise<Reading> {
  let response: Response;
  try {
    // Open to everybody, like every such page: Prometheus asks without a token.
    response = await fetch(addressOf('api/v2/metrics', { node }), { cache: 'no-store' });
  } catch {
    throw new ApiError('', 0, 0);
  }
  if (!response.ok) throw new ApiError(`${response.status} ${response.statusText}`, 0, response.status);
  const text = await response.text();
  const metrics = parseMetrics(text);
  const at = Date.now();
  const reads = before && sumOf(metrics, 'tag_reads_total') - sumOf(before.metrics, 'tag_reads_total');
  const rate =
    before === undefined || reads === undefined || at <= before.at
      ? undefined
      : Math.max(0, (1000 * reads) / (at - before.at));
  return { metrics, helps: helpsOf(text), at, rate };
}

/** What the gateway counts of itself and of all nodes, or of one node, every five seconds. */
export const useMetrics = (node?: string): UseQueryResult<Reading> =>
  useQuery({
    queryKey: ['metrics', node ?? ''],
    queryFn: ({ client, queryKey }) => read(node, client.getQueryData(queryKey)),
    refetchInterval: 5000,
    staleTime: 0,
    structuralSharing: false,
  });
