/** One metric of the Prometheus text format, https://prometheus.io/docs/instrumenting/exposition_formats. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** What the family of gateways declares it as, where that differs: its clients know a counter by a name that ends in `_total`. */
  readonly familyType?: Metric['type'];
}

export type Labels = Readonly<Record<string, string>>;

/** Collects values and prints them grouped by metric, in the order in which the metrics were added first. */
export class Exposition {
  readonly #families = new Map<string, { readonly metric: Metric; readonly lines: string[] }>();
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
    if (family === undefined) this.#families.set(metric.name, (family = { metric, lines: [] }));
    const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escape(text)}"`);
    family.lines.push(`${metric.name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
  }

  toString(): string {
    return Array.from(this.#families.values(), ({ metric: { name, help, type }, lines }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n'),
    ).join('');
  }
}

function prefixed({ name, help, type }: Metric): Metric {
  const bare = `tagway_${name.replace(/^tagway_|_total$/g, '')}`;
  return { name: type === 'counter' ? `${bare}_total` : bare, help, type };
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
