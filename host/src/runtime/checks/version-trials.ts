import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { deadlines, withFullStop } from '@tagway/sdk/internal';
import type { Node, Plugin } from '../../core/model.ts';
import type { Probation } from '../../core/ports/ports.ts';
import type { NodeRun } from '../runners/node-runs.ts';
import { type Supervisor, supervisorTimes } from '../runners/supervisor.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

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

/** Watches the first moments of a plugin's new version, while it can still be rolled back. */
export class VersionTrials {
  readonly #refusals = new Map<NodeRun, (fault: Fault) => void>();
  /** By the id of the plugin: ends its probation. */
  readonly #probations = new Map<string, (reason?: string) => void>();
  /** Milliseconds from the start of a process, within which its end refuses the version. */
  readonly #probation: number;

  constructor(probation = 30_000) {
    this.#probation = probation;
  }

  /** Whether the run is on trial. If it is, the fault refuses the version instead of the node. */
  takes(run: NodeRun, fault: Fault): boolean {
    const refuse = this.#refusals.get(run);
    refuse?.(fault);
    return refuse !== undefined;
  }

  /**
   * Starts the runner and resolves once it has proved itself with these runs: every node that ran before, which are those in `ran`,
   * runs. How its link is does not matter. Rejects with LIBRARY_UPDATE_FAILED, and names the node. The runner is on probation then.
   */
  async hold(supervisor: Supervisor, runs: readonly NodeRun[], ran: ReadonlySet<Node>): Promise<Probation> {
    const began = performance.now();
    const refused = Promise.withResolvers<never>();
    for (const run of runs) this.#refusals.set(run, refused.reject);
    try {
      await Promise.race([refused.promise, prove(supervisor, runs, ran)]);
      return this.#watch(supervisor.plugin, began);
    } catch (error) {
      const { name, version } = supervisor.plugin;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Refusal(
        ErrorCode.LIBRARY_UPDATE_FAILED,
        sentence`Version ${version} of the plugin "${name}" did not come up: ${reason}`,
        { cause: error },
      );
    } finally {
      for (const run of runs) this.#refusals.delete(run);
    }
  }

  /** Ends the probation of a plugin's version if there is one: with a reason, which completes the sentence "The runner …", it is refused. */
  end({ id }: Plugin, reason?: string): void {
    this.#probations.get(id)?.(reason);
  }

  #watch({ id, name, version }: Plugin, began: number): Probation {
    const { promise: over, resolve } = Promise.withResolvers<Fault | undefined>();
    const end = (reason?: string): void => {
      clearTimeout(timer);
      this.#probations.delete(id);
      const seconds = Math.round((performance.now() - began) / 1000);
      const text = `Version ${version} of the plugin "${name}" was taken back: its runner ${reason}, ${seconds} s after its start.`;
      resolve(reason === undefined ? undefined : new Fault(ErrorCode.LIBRARY_UPDATE_FAILED, text));
    };
    const timer = setTimeout(() => end(), Math.max(0, began + this.#probation - performance.now())).unref();
    this.#probations.set(id, end);
    return { over };
  }
}

async function prove(
  supervisor: Supervisor,
  runs: readonly NodeRun[],
  ran: ReadonlySet<Node>,
): Promise<void> {
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
async function untilStarted(run: NodeRun, isSame: () => boolean): Promise<void> {
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
        `the node "${name}" ran before and does not start with it: ${withFullStop(run.failure.message)}`,
      );
    if (now - began > waits.start)
      throw new Error(
        `the node "${name}" ran before, and its start has not ended within ${waits.start / 1000} s.`,
      );
    await delay(waits.look);
  }
}
