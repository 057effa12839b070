import { readFile } from 'node:fs/promises';
import type { Window } from './ledger.ts';

/** Milliseconds between two looks. */
const pause = 250;
/** A process that had to wait for a core for this part of the time was held up. */
const share = 0.4;
/** Milliseconds by which what held a process up may still be felt in what others wait for. */
const aftermath = 500;

/** Milliseconds that a process, which could have run, has waited for a core so far; as Linux counts for its first thread. */
async function waitOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'latin1').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) / 1e6;
}

/** Notes when the machine had no core for the gateway, whatever else runs on it: a cycle that is missed then is not the gateway's fault. */
export class Machine {
  readonly windows: Window[] = [];
  readonly #pids: () => Iterable<number>;
  readonly #waits = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #at = Date.now();

  /** `pids`: of the processes that must not be held up; this one is among them by itself. */
  constructor(pids: () => Iterable<number>) {
    this.#pids = pids;
    this.#timer = setInterval(() => void this.#look(), pause);
  }

  /** Milliseconds for which it was so, in all. */
  get held(): number {
    return this.windows.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const from = this.#at;
    const to = Date.now();
    this.#at = to;
    const pids = [process.pid, ...this.#pids()];
    const waits = await Promise.all(
      pids.map(async (pid) => {
        const before = this.#waits.get(pid);
        const wait = await waitOf(pid);
        this.#waits.set(pid, wait);
        return before === undefined ? 0 : wait - before;
      }),
    );
    if (Math.max(...waits) < share * (to - from)) return;
    const last = this.windows.at(-1);
    const isOne = last !== undefined && last.to >= from;
    if (isOne) this.windows.pop();
    this.windows.push({ what: 'machine', from: isOne ? last.from : from, to: to + aftermath });
  }
}
