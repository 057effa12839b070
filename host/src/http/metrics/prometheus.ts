import type { MetricFamily, MetricPoint } from '../../core/ports/telemetry.ts';

/** One metric of the Prometheus text format, https://prometheus.io/docs/instrumenting/exposition_formats. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** What the family of gateways declares it as, where that differs: its clients know a counter by a name that ends in `_total`. */
  readonly familyType?: Metric['type'];
  /** The text shows whole numbers. */
  readonly isWhole?: boolean;
}

export type Labels = MetricPoint['labels'];

interface Family extends MetricFamily {
  readonly points: MetricPoint[];
  readonly isWhole?: boolean;
}

/** Collects values and gives them grouped by metric, in the order in which the metrics were added first. */
export class Exposition {
  readonly #families = new Map<string, Family>();
  readonly #isPrefixed: boolean;

  /** `isPrefixed`: names begin with `tagway_`, and those of counters alone end in `_total`. */
  constructor(isPrefixed: boolean) {
    this.#isPrefixed = isPrefixed;
  }

  gauge(name: string, help: string, value: number, labels?: Labels): void {
    this.add({ name, help, type: 'gauge' }, value, labels);
  }

  counter(name: string, help: string, value: number, labels?: Labels): void {
    this.add({ name, help, type: 'counter' }, value, labels);
  }

  /** A gauge that the family of gateways calls a counter. */
  mistyped(name: string, help: string, value: number, labels?: Labels): void {
    this.add({ name, help, type: 'gauge', familyType: 'counter' }, value, labels);
  }

  add(given: Metric, value: number, labels: Labels = {}): void {
    const metric = this.#isPrefixed ? prefixed(given) : { ...given, type: given.familyType ?? given.type };
    let family = this.#families.get(metric.name);
    if (family === undefined) this.#families.set(metric.name, (family = { ...metric, points: [] }));
    family.points.push({ labels, value });
  }

  families(): Iterable<MetricFamily> {
    return this.#families.values();
  }

  toString(): string {
    return Array.from(this.#families.values(), ({ name, help, type, points, isWhole = false }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...points.map(
          ({ labels, value }) => `${name}${printed(labels)} ${isWhole ? Math.round(value) : value}`,
        ),
        '',
      ].join('\n'),
    ).join('');
  }
}

function printed(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escape(text)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function prefixed(metric: Metric): Metric {
  const bare = `tagway_${metric.name.replace(/^tagway_|_total$/g, '')}`;
  return { ...metric, name: metric.type === 'counter' ? `${bare}_total` : bare };
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
