import { readdir, readFile } from 'node:fs/promises';

/** One living process, as Linux's /proc tells it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Process group: the pid of the process that leads it. */
  readonly group: number;
  /** Command line or the title the process gave itself. */
  readonly title: string;
  /** User and system time, in seconds. */
  readonly cpu: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

const ticksPerSecond = 100;
const pageSize = 4096;

async function readProcess(pid: number): Promise<ProcessRow | undefined> {
  try {
    const [stat, cmdline] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // The name in parentheses may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = 'Z', parent, group] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      title: cmdline.replaceAll('\0', ' ').trim(),
      cpu: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      rss: Number(fields[21]) * pageSize,
    };
  } catch {
    return undefined; // It ended while we looked.
  }
}

/** Resident memory of several processes together, in bytes. */
export interface JointMemory {
  /** What each of them has alone. */
  readonly own: number;
  /** Pages of files, such as that of Node itself: once, however many of them have mapped it, whoever else on the machine has. */
  readonly files: number;
}

export async function jointMemory(pids: readonly number[]): Promise<JointMemory> {
  let own = 0;
  /** Most pages that one of the processes has of each mapping of a file. */
  const shared = new Map<string, number>();
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/smaps`, 'utf8').catch(() => '');
    let mapping = '';
    let resident = 0;
    for (const line of text.split('\n')) {
      const [, start] = /^[0-9a-f]+-[0-9a-f]+ \S+ (.*)$/.exec(line) ?? [];
      const [, name, size] = /^(Rss|Anonymous): +(\d+) kB/.exec(line) ?? [];
      if (start !== undefined) mapping = start;
      else if (name === 'Rss') resident = Number(size);
      else if (name === 'Anonymous') {
        own += Number(size);
        shared.set(mapping, Math.max(shared.get(mapping) ?? 0, resident - Number(size)));
      }
    }
  }
  const files = [...shared.values()].reduce((sum, size) => sum + size, 0);
  return { own: own * 1024, files: files * 1024 };
}

/**
 * The living processes of a process group, ascending by pid, and with `data` those of the gateway's runners with that data folder, which
 * lead groups of their own, with all that their plugins started.
 */
export async function processesOf(group: number, data?: string): Promise<ProcessRow[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows = (await Promise.all(pids.map(readProcess))).filter((row) => row !== undefined);
  const isOurs = await Promise.all(
    rows.map(async (row) => row.group === group || (data !== undefined && (await isRunner(row.pid, data)))),
  );
  return rows.filter((_row, index) => isOurs[index]);
}

/** Whether a process is a runner of the gateway with this data folder, or was started by the plugin of one. */
async function isRunner(pid: number, data: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment
    .split('\0')
    .some((entry) => entry.startsWith('TAGWAY_RUNNER=') && entry.endsWith(`;${data}`));
}
