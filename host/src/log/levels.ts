import type { LogLevel } from '@tagway/schemas';
import type { LogLevels } from '../core/ports/ports.ts';

/** The levels in pino's numbers, between which `notice` is fitted. */
export const ranks: Record<LogLevel, number> = {
  debug: 20,
  info: 30,
  notice: 35,
  warn: 40,
  error: 50,
  fatal: 60,
};

export class Levels implements LogLevels {
  readonly initial: LogLevel;
  readonly #core: { level: string };
  readonly #changed = new Map<string, LogLevel>();
  #coreLevel: LogLevel;

  /** `core` is the logger whose level is that of the gateway itself. */
  constructor(level: LogLevel, core: { level: string }) {
    this.initial = level;
    this.#coreLevel = level;
    this.#core = core;
    core.level = level;
  }

  get core(): LogLevel {
    return this.#coreLevel;
  }

  set core(level: LogLevel) {
    this.#coreLevel = level;
    this.#core.level = level;
  }

  of(node: string): LogLevel {
    return this.#changed.get(node) ?? this.initial;
  }

  set(node: string, level: LogLevel): void {
    this.#changed.set(node, level);
  }

  reset(node: string): void {
    this.#changed.delete(node);
  }
}
