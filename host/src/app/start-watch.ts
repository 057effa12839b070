/** Milliseconds of one step after which it is reported what the start waits for. */
const noticeAfter = 10_000;
/** Milliseconds of one step after which the start is given up. */
const deadline = 120_000;

/**
 * Watches the steps of a start: reports once what a slow step waits for, and gives up a start that stays at one step. Its timer keeps the
 * process alive while something is awaited that does not.
 */
export class StartWatch {
  /** Reports a slow step: on standard error until there is a log. */
  report: (sentence: string) => void;
  #step = 'its data folder';
  #begin = performance.now();
  #isReported = false;
  readonly #noticeAfter: number;
  readonly #deadline: number;

  constructor(
    report = (sentence: string): void => void process.stderr.write(`${sentence}\n`),
    limits = { noticeAfter, deadline },
  ) {
    this.report = report;
    this.#noticeAfter = limits.noticeAfter;
    this.#deadline = limits.deadline;
  }

  /** The next step waits for this: a phrase such as `the stored configuration`. */
  waitsFor(step: string): void {
    this.#step = step;
    this.#begin = performance.now();
    this.#isReported = false;
  }

  /** Settles as the start does, or rejects when one step has taken too long. */
  over<T>(starting: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        const took = performance.now() - this.#begin;
        if (took >= this.#deadline) {
          clearInterval(timer);
          reject(
            new Error(
              `The gateway did not start: for ${Math.round(took / 1000)} seconds it has waited for ${this.#step}. ` +
                'Start it again; with --safe it starts without running any node.',
            ),
          );
        } else if (took >= this.#noticeAfter && !this.#isReported) {
          this.#isReported = true;
          this.report(`The start waits for ${this.#step}.`);
        }
      }, this.#noticeAfter / 10);
      starting.then(resolve, reject).finally(() => clearInterval(timer));
    });
  }
}
