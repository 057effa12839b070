import { join } from 'node:path';
import type { Machine } from '../../src/core/ports/machine.ts';
import { archiveOf } from '../../src/log/archive.ts';
import { logFilesIn, openLogFile } from '../../src/log/log-files.ts';
import { LogReader } from '../../src/log/query.ts';
import { listFolder } from '../../src/machine/folder.ts';
import { System } from '../../src/machine/system.ts';

/** The machine that the tests run on, with its log in `logs` of a folder. */
export function localMachine(folder: string): Machine {
  const logs = join(folder, 'logs');
  const reader = new LogReader(logs);
  const system = new System(folder);
  return {
    queryLog: (query) => reader.query(query),
    logFiles: () => logFilesIn(logs),
    logFile: (name) => openLogFile(logs, name),
    archiveLog: () => archiveOf(logs),
    listFolder: (path) => listFolder(path, { roots: ['/'], never: [] }),
    facts: () => system.facts(),
    pluginProject: (kind, name) => Promise.resolve(Buffer.from(`${kind} ${name}`)),
  };
}
