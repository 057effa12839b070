/** One metric of the Prometheus text format, https://prometheus.io/docs/instrumenting/exposition_formats. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
}

export type Labels = Readonly<Record<string, string>>;

/** Collects values and prints them, those of one metric together and in the order in which the metrics came up first. */
export class Exposition {
  readonly #families = new Map<string, { readonly metric: Metric; readonly lines: string[] }>();

  add(metric: Metric, value: number, labels: Labels = {}): void {
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

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
