/** Entry of a runner process: the host forks this file with `serialization: 'advanced'`. */
import type { FromRunner, ToRunner } from './protocol.ts';
import { Runner } from './runner.ts';

function send(message: FromRunner, done?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => done?.());
  else done?.();
}

function die(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The host reads this line and counts the exit as a crash; nothing of this process can be trusted any more.
  send(
    { op: 'log', node: undefined, level: 'error', message: `The plugin left an error uncaught: ${text}` },
    () => {
      process.exit(1);
    },
  );
  setTimeout(() => process.exit(1), 500);
}

process.title = `tagway: ${process.argv[2] ?? 'runner'}`;
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// A ^C or a service stop reaches the whole process group; the host decides when its runners end.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));

new Runner({
  send,
  onMessage: (handler) => process.on('message', (message) => handler(message as ToRunner)),
});
