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

/**
 * Resident memory in bytes in which a page that several processes share is divided among them, so that the sum over
 * processes is what they really take; 0 when the process is gone.
 */
export async function proportionalMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss: *(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
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
