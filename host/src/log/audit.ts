import { stringifyJson } from '@tagway/sdk/json';
import type { Audit, AuditEntry, AuditPage, AuditQuery } from '../core/access/audit.ts';
import { LogFile, type LogFileLimits } from './file.ts';
import { LogReader } from './query.ts';

/** Enough for 160 000 entries of 300 bytes. */
const limits: LogFileLimits = { size: 5_000_000, count: 10 };
/** Characters of an entry; from a longer one the settings are left out. */
const longest = 8000;

const head = '[NOTICE] audit: ';

/**
 * The audit, in files of its own; when there are too many, the oldest one is deleted. An entry is written before its request is answered,
 * without waiting for the disk: it survives any end of the process, but the last entries may be lost when the machine loses its power.
 */
export class AuditLog implements Audit {
  readonly #file: LogFile;
  readonly #reader: LogReader;

  constructor(folder: string, most = limits) {
    this.#file = new LogFile(folder, most);
    this.#reader = new LogReader(folder, most.count);
  }

  add(entry: AuditEntry): void {
    const stamp = new Date(entry.time).toISOString().replace('T', ' ').slice(0, -1);
    this.#file.write(`${stamp} ${head}${jsonOf(entry)}`);
  }

  async query({ user, node, text, ...query }: AuditQuery): Promise<AuditPage> {
    const isPlain = user === '' && node === '' && text === '';
    const userJson = JSON.stringify(user);
    const nodeJson = JSON.stringify(node);
    // As it is written within the text of an entry.
    const textJson = JSON.stringify(text).slice(1, -1);
    const accepts = (line: string): boolean => {
      if (!line.includes(textJson) || (user !== '' && !line.includes(userJson))) return false;
      if (node !== '' && !line.includes(nodeJson)) return false;
      const entry = entryOf(line);
      return (user === '' || entry.user === user) && (node === '' || entry.node === node);
    };
    const { rows, pageCount } = await this.#reader.newest(query, isPlain ? undefined : accepts);
    return { entries: rows.map(entryOf), pageCount };
  }

  close(): void {
    this.#file.close();
  }
}

function jsonOf(entry: AuditEntry): string {
  const json = stringifyJson(entry);
  if (json.length <= longest) return json;
  const { before: _, after: __, text, ...rest } = entry;
  return stringifyJson({ ...rest, text: text.slice(0, longest / 4) });
}

/** A line that is no entry is a note of the log file itself, such as that lines were lost on a full disk. */
function entryOf(line: string): AuditEntry {
  const place = line.indexOf('] ', 24) + 2;
  const text = line.slice(place);
  if (text.startsWith('audit: {')) {
    try {
      return JSON.parse(text.slice('audit: '.length)) as AuditEntry;
    } catch {
      // One that a crash cut off, or too long for the page.
    }
  }
  return {
    time: Date.parse(`${line.slice(0, 23).replace(' ', 'T')}Z`),
    user: '',
    kind: 'nobody',
    text,
    error: 0,
  };
}
