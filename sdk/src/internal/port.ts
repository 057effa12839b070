import type { FromRunner, ToRunner } from './protocol.ts';

/** The runner's end of the line to the host. */
export interface Port {
  /** Calls `done` when the message has left this process, or cannot any more. */
  send(message: FromRunner, done?: () => void): void;
  onMessage(handler: (message: ToRunner) => void): void;
}
