/** Entry of a runner process: the host starts this file with a stream of messages as descriptor 3. */
import { Socket } from 'node:net';
import type { FromRunner, ToRunner } from './protocol.ts';
import { Runner } from './runner.ts';
import { mostMessageBytes, Wire } from './wire.ts';
import { giveBackAt, passing } from './young-buffers.ts';

/** Milliseconds to be ended in, with all that the plugin has started, before the process ends by itself. */
const parting = 2000;

const stream = new Socket({ fd: 3, readable: true, writable: true });
// Of a driver in a pair of gateways. Loaded there alone, before the plugin is, and before anything is heard of the host.
const deadlineFile = process.env['TAGWAY_DEADLINE_FILE'];
if (deadlineFile !== undefined) {
  const { closeSendGate } = await import('./send-gate.ts');
  closeSendGate(deadlineFile, [stream, process.stdout, process.stderr] as Socket[]);
}

let take: (message: ToRunner) => void = () => undefined;
const wire = new Wire(stream, {
  message: (message) => take(message as ToRunner),
  rubbish: () => process.exit(1),
});

function send(message: FromRunner, done?: () => void): void {
  if (message.op === 'loaded' && message.kind === 'app') giveBackAt(passing);
  try {
    wire.send(message, done, mostMessageBytes);
  } catch (error) {
    // A request or an answer fails for who waits for it. Nobody waits for anything else.
    if (message.op === 'request' || message.op === 'answer') throw error;
    done?.();
    const reason = error instanceof Error ? error.message : String(error);
    tell(`A message to the gateway (${message.op}) was left out: ${reason}`);
  }
}

function tell(message: string, done?: () => void): void {
  wire.send({ op: 'log', node: undefined, level: 'error', message } satisfies FromRunner, done);
}

function die(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The host reads this line and counts the exit as a crash; nothing of this process can be trusted any more.
  tell(`The plugin left an error uncaught: ${text}`, () => process.exit(1));
  setTimeout(() => process.exit(1), 500);
}

/** The gateway is gone. Who ends what plugins have started finds some of it only below this process, so that stays for a while. */
function leave(): void {
  setTimeout(() => process.exit(0), parting);
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
