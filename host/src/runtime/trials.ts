import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import type { Node } from '../core/model.ts';
import type { Run } from './runs.ts';
import { type Supervisor, supervisorTimes } from './supervisor.ts';

/** Milliseconds. */
const waits = {
  /** For the runner to come up: somewhat more than the supervisor itself gives it. */
  load: supervisorTimes.load + 3 * supervisorTimes.ping,
  /** For nodes that ran with the version before to run with this one: what the contract gives a start. */
  start: deadlines.start,
  /** For one of them that failed to start, whose runner tries again after 1, 2 and 5 seconds. */
  retry: 10_000,
  /** For all other nodes to make their first attempt. */
  others: 5000,
  /** Between two looks. */
  look: 50,
  /** For polling to begin, with what may go wrong in it. */
  poll: 1000,
} as const;

/** Watches the first moments of a plugin's new version, while there still is a way back. */
export class Trials {
  readonly #refusals = new Map<Run, (fault: Fault) => void>();

  /** Tells whether the run is on trial: then it is the version that is refused, not the node. */
  takes(run: Run, fault: Fault): boolean {
    const refuse = this.#refusals.get(run);
    refuse?.(fault);
    return refuse !== undefined;
  }

  /**
   * Starts the runner and resolves once it has proved itself with these runs: every node that ran before, which are those in `ran`,
   * runs. How its link is does not matter. Rejects with LIBRARY_UPDATE_FAILED, and names the node.
   */
  async hold(supervisor: Supervisor, runs: readonly Run[], ran: ReadonlySet<Node>): Promise<void> {
    const refused = Promise.withResolvers<never>();
    for (const run of runs) this.#refusals.set(run, refused.reject);
    try {
      await Promise.race([refused.promise, prove(supervisor, runs, ran)]);
    } catch (error) {
      const { name, version } = supervisor.plugin;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Fault(
        ErrorCode.LIBRARY_UPDATE_FAILED,
        `Version ${version} of the plugin "${name}" did not come up: ${reason}`,
        { cause: error },
      );
    } finally {
      for (const run of runs) this.#refusals.delete(run);
    }
  }
}

async function prove(supervisor: Supervisor, runs: readonly Run[], ran: ReadonlySet<Node>): Promise<void> {
  if (!(await supervisor.whenUp(waits.load))) throw new Error('it does not load; the log tells why.');
  const { pid } = supervisor;
  const isSame = (): boolean => supervisor.isUp && supervisor.pid === pid;
  const watched = runs.filter(({ node }) => ran.has(node));
  await Promise.all(watched.map((run) => untilStarted(run, isSame)));
  const launched = Promise.all(runs.map((run) => run.launched.promise));
  await Promise.race([launched, delay(waits.others)]);
  await delay(waits.poll);
  if (!isSame()) throw new Error('its process ended soon after its start; the log tells why.');
}

/** Resolves once a node runs that ran before. */
async function untilStarted(run: Run, isSame: () => boolean): Promise<void> {
  const { name } = run.node;
  const began = performance.now();
  let failed = Infinity;
  while (!run.started) {
    if (!isSame())
      throw new Error(
        `its process hung or ended while the node "${name}" was started, which ran before; the log tells why.`,
      );
    const now = performance.now();
    if (run.failure !== undefined) failed = Math.min(failed, now);
    if (run.failure !== undefined && now - failed > waits.retry)
      throw new Error(
        `the node "${name}" ran before and does not start with it: ${run.failure.message.replace(/\.?$/, '.')}`,
      );
    if (now - began > waits.start)
      throw new Error(
        `the node "${name}" ran before, and its start has not ended within ${waits.start / 1000} s.`,
      );
    await delay(waits.look);
  }
}
