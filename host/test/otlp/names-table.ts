import type { LeftOut, Semantic } from '../../src/otlp/metric-names.ts';

const kinds = { sum: 'Counter', level: 'UpDownCounter', gauge: 'Gauge' } as const;

/** The cells of a metric in the table of docs/opentelemetry.md. */
export function rowOf(page: string, semantic: Semantic | LeftOut): string[] {
  if ('leftOut' in semantic) return [`\`${page}\``, 'Not sent', '', '', semantic.leftOut];
  const { name, unit, kind, attributes = {} } = semantic;
  const own = Object.entries(attributes).map(([key, value]) => `\`${key}=${value}\``);
  return [`\`${page}\``, `\`${name}\``, `\`${unit}\``, kinds[kind], own.join(', ')];
}
