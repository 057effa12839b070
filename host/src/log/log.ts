import { type LogLevel, logLevels } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { pino } from 'pino';
import type { LogEntry } from '../core/ports/telemetry.ts';
import { EntryTap } from './entry-tap.ts';
import { LogFile } from './file.ts';
import { Levels, ranks } from './levels.ts';
import { lineOf, loggable } from './line.ts';
import { StandardOutput } from './standard-output.ts';

export interface Logger extends Log {
  fatal(message: string, fields?: object): void;
}

export interface LogOptions {
  /** Folder of the log files; it is made when it is missing. Absent: no file is written. */
  readonly folder?: string;
  /** Of the gateway's own log, and of nodes whose level was not changed. */
  readonly level: LogLevel;
  /** Whether the lines go to the standard output too. */
  readonly stdout: boolean;
  /** Whether somebody will take the entries, too. Default false. */
  readonly isTapped?: boolean;
}

export interface GatewayLog {
  /** The log of the gateway itself, named `gateway`. */
  readonly core: Logger;
  /** The same log as pino has it. */
  readonly pino: pino.Logger<'notice'>;
  /** The log of a node; it keeps to the level that the node of this name has at the moment of each call. */
  node(name: string): Logger;
  readonly levels: Levels;
  /** Where the entries may be taken, if that was wanted. */
  readonly entries: EntryTap | undefined;
  close(): void;
}

export function createLog({ folder, level, stdout, isTapped = false }: LogOptions): GatewayLog {
  const file = folder === undefined ? undefined : new LogFile(folder);
  const output = stdout ? new StandardOutput() : undefined;
  const entries = isTapped ? new EntryTap() : undefined;
  const write = (json: string): void => {
    const entry = JSON.parse(json) as LogEntry;
    const line = lineOf(entry);
    file?.write(line);
    output?.write(line);
    entries?.push(entry);
  };
  const root = pino(
    {
      level: 'debug',
      customLevels: { notice: ranks.notice },
      base: null,
      messageKey: 'message',
      // Apart from the entry's own members, so that no field of a caller takes the place of one.
      nestedKey: 'fields',
      formatters: { level: (label) => ({ level: label }), log: loggable },
    },
    { write },
  );
  const own = root.child({ name: 'gateway' });
  const levels = new Levels(level, own);
  return {
    core: loggerOf(own, () => levels.core),
    pino: own,
    node: (name) => loggerOf(root.child({ name }), () => levels.of(name)),
    levels,
    entries,
    close: () => file?.close(),
  };
}

function loggerOf(to: pino.Logger<'notice'>, levelOf: () => LogLevel): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: object): void => {
      if (ranks[level] < ranks[levelOf()]) return;
      if (fields === undefined) to[level](message);
      else to[level](fields, message);
    };
  return Object.fromEntries(logLevels.map((level) => [level, at(level)])) as Record<
    LogLevel,
    ReturnType<typeof at>
  >;
}
