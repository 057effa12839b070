import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import type { Clock } from '../../context.ts';

/** How long the runner waits for each call of a plugin, in milliseconds. */
export const deadlines = {
  start: 30_000,
  /** A driver with many slow devices may take its time; its signal aborts then. */
  read: 120_000,
  write: 60_000,
  /** A person waits for it in front of a screen. */
  browse: 30_000,
  /** Of an app, before its signal aborts; a person waits for it. */
  tryConnection: 20_000,
  /** Who is connected, and certificates; a person waits for it. */
  peers: 10_000,
  stop: 5000,
  /** A watch that is disposed of. */
  unwatch: 2000,
  /** After its signal aborted, a call has this long to settle. */
  abort: 5000,
} as const;

/** The plugin did not settle a call even after its signal aborted: this run of it cannot be trusted any more. */
export class Hung extends Fault {}

/**
 * Waits for a call of a plugin. At the deadline `abort` is called, and the call then has a grace time to settle in its own way; a call
 * that cannot be aborted has none. Throws `Hung` when it does not settle.
 */
export async function within<T>(
  clock: Clock,
  call: Promise<T>,
  what: string,
  ms: number,
  abort?: () => void,
): Promise<T> {
  let timer: Disposable | undefined;
  const overrun = new Promise<never>((_resolve, reject) => {
    timer = clock.timer(ms, () => {
      if (abort === undefined) {
        reject(new Hung(ErrorCode.NO_RESPONSE, `The plugin did not settle ${what} within ${ms / 1000} s.`));
        return;
      }
      abort();
      timer = clock.timer(deadlines.abort, () => {
        reject(
          new Hung(
            ErrorCode.NO_RESPONSE,
            `The plugin did not settle ${what} within ${ms / 1000} s, and not ${deadlines.abort / 1000} s after its signal aborted either.`,
          ),
        );
      });
    });
  });
  try {
    return await Promise.race([call, overrun]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
