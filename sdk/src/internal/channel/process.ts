/** Entry of a runner process: the host starts this file with a stream of messages as descriptor 3. */
import { Socket } from 'node:net';
import type { FromRunner, ToRunner } from './protocol.ts';
import { Runner } from '../runner/runner.ts';
import { mostMessageBytes, Wire } from './wire.ts';

/** Milliseconds before this process exits by itself, so that the reaper can end it with all that the plugin has started. */
const exitDelay = 2000;

// Before anything of the plugin is loaded. What fails ends this process: it must not go on as root.
const [uid, ...groups] = process.env['TAGWAY_BECOME']?.split(' ').map(Number) ?? [];
if (uid !== undefined) {
  process.setgroups?.(groups);
  process.setgid?.(groups[0]!);
  process.setuid?.(uid);
}

// Only for a driver in a pair of gateways, before the plugin is loaded and before the first message of the host.
const deadlineFile = process.env['TAGWAY_DEADLINE_FILE'];
if (deadlineFile !== undefined) {
  const { shutAtDeadline } = await import('./deadline-gate.ts');
  shutAtDeadline(deadlineFile);
}

/** Bytes taken from the host at once; the buffer is used again and again. */
const received = Buffer.allocUnsafeSlow(65_536);
const stream = new Socket({
  fd: 3,
  readable: true,
  writable: true,
  onread: {
    buffer: received,
    callback: (size) => {
      wire.take(received.subarray(0, size));
      return true;
    },
  },
});
let take: (message: ToRunner) => void = () => undefined;
const wire: Wire = new Wire(stream, {
  message: (message) => take(message as ToRunner),
  protocolError: () => process.exit(1),
});

function send(message: FromRunner, done?: () => void): void {
  try {
    wire.send(message, done, mostMessageBytes);
  } catch (error) {
    // Requests and answers are awaited, so their failure is reported there. All other messages are not awaited.
    if (message.op === 'request' || message.op === 'answer') throw error;
    done?.();
    const reason = error instanceof Error ? error.message : String(error);
    logError(`A message to the gateway (${message.op}) was left out: ${reason}`);
  }
}

function logError(message: string, done?: () => void): void {
  wire.send({ op: 'log', node: undefined, level: 'error', message } satisfies FromRunner, done);
}

function die(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The host reads this line and counts the exit as a crash; nothing of this process can be trusted any more.
  logError(`The plugin left an error uncaught: ${text}`, () => process.exit(1));
  setTimeout(() => process.exit(1), 500);
}

/** The gateway has ended. The reaper finds some processes of the plugin only as children of this one, so it stays for a while. */
function leave(): void {
  setTimeout(() => process.exit(0), exitDelay);
}

process.title = `tagway: ${process.argv[2] ?? 'runner'}`;
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// A service stop reaches all processes of the gateway; the host decides when its runners end.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
stream.on('error', leave);
stream.on('close', leave);

new Runner({ send, onMessage: (handler) => (take = handler) });
