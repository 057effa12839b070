import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ApiError, addressOf } from './call.ts';

/** A line of the Prometheus text: a number with labels. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of each metric, by its name without the prefix `tagway_`. */
export type Metrics = ReadonlyMap<string, readonly MetricSample[]>;

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const escapes: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** Reads the Prometheus text format 0.0.4. Unknown lines are skipped. */
export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, MetricSample[]>();
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

/** The help texts of the metrics, in English. */
function helpsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^# HELP (?:tagway_)?(\S+) (.*)$/gm);
  return new Map([...lines].map(([, name = '', help = '']) => [name, help]));
}

/** The first sample of a metric. */
export const firstOf = (metrics: Metrics, name: string): number | undefined => metrics.get(name)?.[0]?.value;

const sumOf = (metrics: Metrics, name: string): number =>
  (metrics.get(name) ?? []).reduce((sum, { value }) => sum + value, 0);

const goodReads = (metrics: Metrics): number =>
  sumOf(metrics, 'tag_reads_total') - sumOf(metrics, 'tag_read_errors_total');

/** The metrics of the gateway at one time. */
export interface Scrape {
  readonly metrics: Metrics;
  /** The help texts of the metrics, in English. */
  readonly helps: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Tags read per second without an error since the scrape before; undefined for the first scrape. */
  readonly rate: number | undefined;
}

async function scrape(node: string | undefined, before: Scrape | undefined): Promise<Scrape> {
  let response: Response;
  try {
    // An open endpoint: Prometheus sends no token.
    response = await fetch(addressOf('api/v2/metrics', { node }), { cache: 'no-store' });
  } catch {
    throw new ApiError('', 0, 0);
  }
  if (!response.ok) throw new ApiError(`${response.status} ${response.statusText}`, 0, response.status);
  const text = await response.text();
  const metrics = parseMetrics(text);
  const at = Date.now();
  const reads = before && goodReads(metrics) - goodReads(before.metrics);
  const rate =
    before === undefined || reads === undefined || at <= before.at
      ? undefined
      : Math.max(0, (1000 * reads) / (at - before.at));
  return { metrics, helps: helpsOf(text), at, rate };
}

/** The metrics of the gateway and of all nodes, or of one node, every five seconds. */
export const useMetrics = (node?: string): UseQueryResult<Scrape> =>
  useQuery({
    queryKey: ['metrics', node ?? ''],
    queryFn: ({ client, queryKey }) => scrape(node, client.getQueryData(queryKey)),
    refetchInterval: 5000,
    staleTime: 0,
    structuralSharing: false,
  });
