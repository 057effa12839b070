import { plantTags } from './plant.ts';

/** A message of the demo's app, in the values format. */
export interface Message {
  readonly timestamp: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** Shows live values: a table that refreshes on a terminal, a line per message elsewhere. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  #lines = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(message: Message): void {
    const time = new Date(message.timestamp).toLocaleTimeString('en-GB');
    const cells = plantTags.map(({ name, description }) => ({
      name,
      description,
      text: textOf(message, name),
    }));
    if (!this.#out.isTTY) {
      this.#out.write(`${time}  ${cells.map(({ name, text }) => `${name}=${text}`).join('  ')}\n`);
      return;
    }
    const rows = cells.map(
      ({ name, text, description }) => `  ${name.padEnd(14)}${text.padStart(20)}   ${description}`,
    );
    const table = [`  Live values at ${time}, as they arrive at the broker:`, ...rows, ''];
    const up = this.#lines > 0 ? `\x1b[${this.#lines}A` : '';
    this.#out.write(up + table.map((line) => `\x1b[2K${line}\n`).join(''));
    this.#lines = table.length;
  }
}

function textOf({ values, errors }: Message, name: string): string {
  if (name in values) return String(values[name]);
  return name in errors ? `error ${errors[name]}` : '–';
}
