import type { Clock } from '../../context.ts';
import type { FromRunner, ToRunner } from './protocol.ts';
import { Runner } from '../runner/runner.ts';

/** The host's end of the channel to a runner in the same process. */
export interface InlineRunner extends AsyncDisposable {
  send(message: ToRunner): void;
}

/**
 * Runs a runner in this process: for tests, development and tiny devices. Every message is cloned on its way, so that nothing
 * works here that would fail between processes. `receive` gets what the runner sends, in order.
 */
export function inlineRunner(receive: (message: FromRunner) => void, clock?: Clock): InlineRunner {
  let handler: ((message: ToRunner) => void) | undefined;
  let open = true;
  const runner = new Runner(
    {
      send(message, done) {
        const copy = structuredClone(message);
        setImmediate(() => {
          if (open) receive(copy);
          done?.();
        });
      },
      onMessage(take) {
        handler = take;
      },
    },
    clock,
  );
  return {
    send(message) {
      const copy = structuredClone(message);
      setImmediate(() => {
        if (open) handler?.(copy);
      });
    },
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      open = false;
    },
  };
}
