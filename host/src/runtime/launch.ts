import type { LogLevel } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { deadlines, type SubscriptionsData } from '@tagway/sdk/internal';
import type { Run } from './runs.ts';
import type { Supervisor } from './supervisor.ts';

/** What a runner is told of a node beside its settings. */
export interface LaunchOptions {
  readonly dataDir: string;
  readonly level: LogLevel;
  /** In a pair of gateways. */
  readonly pairId: string | undefined;
  /** Of an app that takes samples. */
  readonly subscriptions: SubscriptionsData | undefined;
}

/** For a first attempt to start, with all that its deadlines allow, in milliseconds. */
const deadline = deadlines.start + deadlines.stop + 4 * deadlines.abort;

/** Has a runner start a node, and notes in the run how the first attempt goes. */
export function launch(
  supervisor: Supervisor,
  run: Run,
  { dataDir, level, pairId, subscriptions }: LaunchOptions,
): void {
  const { id, name, settings = {} } = run.node;
  const started = supervisor.ask<'start'>(
    {
      ...{ op: 'start', node: id, name, settings, dataDir, level },
      ...(pairId !== undefined && { pairId }),
      ...(subscriptions !== undefined && { subscriptions }),
      ...(run.isTail && { mode: 'tail' }),
    },
    deadline,
  );
  // A refusal arrives as a message of its own, which also tells of those that come later.
  started.then(
    () => run.launched.resolve(),
    (error: unknown) => {
      if (isFault(error)) run.failure = error;
      run.launched.resolve();
    },
  );
}
