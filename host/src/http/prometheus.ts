/** One metric of the Prometheus text format, https://prometheus.io/docs/instrumenting/exposition_formats. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** The family of gateways calls it a counter, which it is not. */
  readonly isMistyped?: boolean;
}

export type Labels = Readonly<Record<string, string>>;

/** Collects values and prints them, those of one metric together and in the order in which the metrics came up first. */
export class Exposition {
  readonly #families = new Map<string, { readonly metric: Metric; readonly lines: string[] }>();
  readonly #isPrefixed: boolean;

  /** `isPrefixed`: names begin with `tagway_`, and those of counters alone end in `_total`. */
  constructor(isPrefixed: boolean) {
    this.#isPrefixed = isPrefixed;
  }

  add(given: Metric, value: number, labels: Labels = {}): void {
    const metric = this.#isPrefixed ? prefixed(given) : given;
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

function prefixed({ name, help, type, isMistyped = false }: Metric): Metric {
  const isCounter = type === 'counter' && !isMistyped;
  const bare = `tagway_${name.replace(/^tagway_|_total$/g, '')}`;
  return { name: isCounter ? `${bare}_total` : bare, help, type: isCounter ? type : 'gauge' };
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
