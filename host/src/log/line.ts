import { isFault } from '@tagway/sdk';
import type { LogEntry } from '../core/ports/telemetry.ts';

/** Longest line in UTF-16 units; what is longer is cut, so that no plugin can fill the log with one message. */
const lengthMax = 8192;

/**
 * The line of an entry, without its end: `2026-07-22 10:11:12.123 [INFO] name: message key=value`. The time is UTC, so that the
 * lines of a file are in the order of their text. Control characters are escaped: an entry is one line, and nothing that a device
 * or a client sends can forge another or command a terminal.
 */
export function lineOf({ time, level, name, message, fields }: LogEntry): string {
  const stamp = new Date(time).toISOString().replace('T', ' ').slice(0, -1);
  const pairs = Object.entries(fields ?? {}).map(([key, value]) => ` ${key}=${show(value)}`);
  const text = `${stamp} [${level.toUpperCase()}] ${name}: ${message}${pairs.join('')}`;
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, escape);
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}

function show(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function escape(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Errors as text, which JSON would print as empty objects. */
export function loggable(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? textOf(value) : value]),
  );
}

function textOf(error: Error): string {
  return isFault(error) ? `${error.message} (error ${error.code})` : (error.stack ?? error.message);
}
