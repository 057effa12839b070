import { type LogLevel, logLevels } from '@tagway/schemas';
import type { Log } from '../../context.ts';

/** Lines that a node may log per second; the rest of that second is left out and counted. */
const linesPerSecond = 50;

/** A node's log: filtered by level at the source and limited in rate, so that a chatty plugin cannot drown the gateway. */
export class NodeLog implements Log {
  level: LogLevel;
  readonly debug = this.#at('debug');
  readonly info = this.#at('info');
  readonly notice = this.#at('notice');
  readonly warn = this.#at('warn');
  readonly error = this.#at('error');
  readonly #write: (level: LogLevel, message: string, fields?: object) => void;
  readonly #now: () => number;
  #second = 0;
  #lines = 0;
  #leftOut = 0;

  constructor(
    level: LogLevel,
    now: () => number,
    write: (level: LogLevel, message: string, fields?: object) => void,
  ) {
    this.level = level;
    this.#now = now;
    this.#write = write;
  }

  #at(level: LogLevel): Log['info'] {
    return (message, fields) => this.#line(level, message, fields);
  }

  #line(level: LogLevel, message: string, fields: object | undefined): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.level)) return;
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      if (this.#leftOut > 0)
        this.#write('warn', `${this.#leftOut} log lines of this node were left out: it logs too much.`);
      this.#second = second;
      this.#lines = 0;
      this.#leftOut = 0;
    }
    if (++this.#lines > linesPerSecond) this.#leftOut++;
    else this.#write(level, message, fields);
  }
}
