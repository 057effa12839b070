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

/** Metrics as they were asked for last. */
export interface Scrape {
  readonly metrics: Metrics;
  /** The help texts of the metrics, in English. */
  readonly helps: ReadonlyMap<string, string>;
}

async function scrape(node: string | undefined): Promise<Scrape> {
  let response: Response;
  try {
    // An open endpoint: Prometheus sends no token.
    const wanted = node === undefined ? { category: 'global' } : { node };
    response = await fetch(addressOf('api/v2/metrics', wanted), { cache: 'no-store' });
  } catch {
    throw new ApiError('', 0, 0);
  }
  if (!response.ok) throw new ApiError(`${response.status} ${response.statusText}`, 0, response.status);
  const text = await response.text();
  return { metrics: parseMetrics(text), helps: helpsOf(text) };
}

/** The metrics of the gateway itself, or of one node, every five seconds. */
export const useMetrics = (node?: string): UseQueryResult<Scrape> =>
  useQuery({
    queryKey: ['metrics', node ?? ''],
    queryFn: () => scrape(node),
    refetchInterval: 5000,
    staleTime: 0,
    structuralSharing: false,
  });
