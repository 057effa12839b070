import { join } from 'node:path';
import type { Machine } from '../../src/core/machine.ts';
import { archiveOf } from '../../src/log/archive.ts';
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
    archiveLog: () => archiveOf(logs),
    listFolder: (path) => listFolder(path),
    facts: () => system.facts(),
    pluginProject: (kind, name) => Promise.resolve(Buffer.from(`${kind} ${name}`)),
  };
}
