import { ErrorCode, NodeType } from '@tagway/schemas';
import { Fault, type Log } from '@tagway/sdk';
import type { OpenChannel } from './channel.ts';
import { isFromRunner, kindOf } from './message-check.ts';

/** For a module to load, in milliseconds. */
const deadline = 10_000;

/**
 * Loads a module in a runner of its own, which is gone when this settles. Rejects with LIBRARY_OPEN_FAILED when it does not load in
 * time, and with LIBRARY_MODULE_INVALID when it fails to, or is not a plugin of this type.
 */
export async function probe(
  open: OpenChannel,
  log: Log,
  signal: AbortSignal,
  main: string,
  nodeType: NodeType,
): Promise<void> {
  if (signal.aborted) throw new Fault(ErrorCode.LIBRARY_OPEN_FAILED, 'The gateway ends.');
  const verdict = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const refuse = (code: number, message: string): void => verdict.reject(new Fault(code, message));
  // The library may be of another kind than it claims, so it gets the rights of a driver, which are the smaller ones.
  const channel = open('probe', 'driver', {
    message(message) {
      if (!isFromRunner(message)) {
        channel.kill(`sent a malformed message (${kindOf(message)})`);
        return;
      }
      const wanted = nodeType === NodeType.DRIVER ? 'driver' : 'app';
      if (message.op === 'loaded') {
        if (message.kind === wanted) verdict.resolve();
        else
          refuse(
            ErrorCode.LIBRARY_MODULE_INVALID,
            `The library says that it is a ${wanted}, and its module is of the other kind.`,
          );
      } else if (message.op === 'unloadable') {
        refuse(ErrorCode.LIBRARY_MODULE_INVALID, `The library cannot be loaded: ${cut(message.message)}`);
      } else if (message.op === 'log' && message.level === 'error') {
        refuse(
          ErrorCode.LIBRARY_MODULE_INVALID,
          `The library fails while it is loaded. ${cut(message.message)}`,
        );
      }
    },
    output: (line) => log.info(`A library that is to be installed printed: ${line}`),
    gone(reason) {
      refuse(ErrorCode.LIBRARY_MODULE_INVALID, `The library's process ${reason} while it was loaded.`);
      gone.resolve();
    },
  });
  const timer = setTimeout(() => {
    refuse(ErrorCode.LIBRARY_OPEN_FAILED, `The library did not load within ${deadline / 1000} s.`);
  }, deadline);
  const abort = (): void => refuse(ErrorCode.LIBRARY_OPEN_FAILED, 'The gateway ends.');
  signal.addEventListener('abort', abort, { once: true });
  channel.send({ op: 'load', main });
  try {
    await verdict.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    channel.kill();
    await gone.promise;
  }
}

/** Characters of a library's own error message that a client gets. */
const longest = 4000;

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
