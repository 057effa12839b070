import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Run } from './runs.ts';
import { type Supervisor, supervisorTimes } from './supervisor.ts';

/** Milliseconds. */
const waits = {
  /** For the runner to come up: somewhat more than the supervisor itself gives it. */
  load: supervisorTimes.load + 3 * supervisorTimes.ping,
  /** For the first attempts to start the nodes; one that takes longer waits for its device and speaks neither for nor against. */
  start: 5000,
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

  /** Starts the runner and resolves once it has proved itself with these runs. Rejects with LIBRARY_UPDATE_FAILED. */
  async hold(supervisor: Supervisor, runs: readonly Run[]): Promise<void> {
    const refused = Promise.withResolvers<never>();
    for (const run of runs) this.#refusals.set(run, refused.reject);
    try {
      await Promise.race([refused.promise, prove(supervisor, runs)]);
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

async function prove(supervisor: Supervisor, runs: readonly Run[]): Promise<void> {
  if (!(await supervisor.whenUp(waits.load))) throw new Error('it does not load; the log tells why.');
  const { pid } = supervisor;
  const launched = Promise.all(runs.map((run) => run.launched.promise));
  await Promise.race([launched, delay(waits.start)]);
  await delay(waits.poll);
  if (!supervisor.isUp || supervisor.pid !== pid) {
    throw new Error('its process ended soon after its start; the log tells why.');
  }
}
