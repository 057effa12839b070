import { isFault } from '@tagway/sdk';
import { deadlines, type RunnerRequest } from '@tagway/sdk/internal';
import type { NodeRun } from './node-runs.ts';
import type { Supervisor } from './supervisor.ts';

type Start = Extract<RunnerRequest, { readonly op: 'start' }>;

/** For a first attempt to start, with all that its deadlines allow, in milliseconds. */
const deadline = deadlines.start + deadlines.stop + 4 * deadlines.abort;

/** Has a runner start a node, and notes in the run how the first attempt goes. */
export function launch(
  supervisor: Supervisor,
  run: NodeRun,
  more: Pick<Start, 'dataDir' | 'level' | 'pairId' | 'pair' | 'subscriptions' | 'follow' | 'trace'>,
): void {
  const { id, name, settings = {} } = run.node;
  const mode = run.mode === 'tail' && ({ mode: 'tail' } as const);
  const inputs = run.node.plugin.inputs && { inputs: run.node.plugin.inputs };
  const request: Start = { op: 'start', node: id, name, settings, ...more, ...mode, ...inputs };
  const started = supervisor.ask<'start'>(request, deadline);
  // A refusal arrives as a message of its own, because a node may also be refused after its first attempt.
  started.then(
    () => run.launched.resolve(),
    (error: unknown) => {
      if (isFault(error)) run.failure = error;
      run.launched.resolve();
    },
  );
}
