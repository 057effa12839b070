/** Characters that may wait for a slow reader before lines are dropped. */
const waitingLimit = 1_000_000;

/** The standard output as a place for log lines: a reader that is slow or gone costs lines, not memory and not the gateway. */
export class StandardOutput {
  #dropped = 0;
  #open = true;

  constructor() {
    process.stdout.on('error', () => {
      this.#open = false;
    });
  }

  /** `line` is without its end. */
  write(line: string): void {
    if (!this.#open) return;
    if (process.stdout.writableLength > waitingLimit) {
      this.#dropped++;
      return;
    }
    const note =
      this.#dropped === 0 ? '' : `${this.#dropped} lines were dropped because their reader is too slow.\n`;
    this.#dropped = 0;
    process.stdout.write(`${note}${line}\n`);
  }
}
