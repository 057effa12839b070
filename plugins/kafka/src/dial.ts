import { isIP, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { ConnectionStep } from '@tagway/sdk';
import { followSteps } from '@tagway/store';
import { describe } from './problem.ts';

/** A request for the versions that a broker speaks, which it answers to everybody: length, kind 18, version 0, number 1, no name. */
const question = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);

/**
 * Opens a connection to a broker, waits for an answer, because a broker may refuse a certificate only after the handshake, and closes it again. The library keeps to itself why it could not connect, and says after its timeout only that;
 * this says it at once. Rejects with an Unavailable.
 */
export async function dial(
  broker: string,
  tls: ConnectionOptions | undefined,
  signal: AbortSignal,
  onStep: (step: ConnectionStep) => void = () => undefined,
): Promise<void> {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(broker) ?? [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const isName = isIP(host) === 0;
  const plain = new Socket();
  let socket = plain;
  const abort = (): void => reject(new Error('the broker does not answer'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  followSteps(plain, { host, isSecure: tls !== undefined }, (step) => {
    if (step !== 'first answer') onStep(step);
  });
  plain.once('error', reject);
  plain.once('connect', () => {
    if (tls !== undefined) {
      const { connect } = process.getBuiltinModule('node:tls');
      socket = connect({ ...tls, socket: plain, host, ...(isName && { servername: host }) });
      socket.once('error', reject);
    }
    socket.once('data', () => resolve());
    socket.once('close', () => reject(new Error('the broker closed the connection without an answer')));
    socket.write(question);
  });
  plain.connect(Number(port), host);
  try {
    await promise;
  } catch (error) {
    throw describe(error, broker);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.on('error', () => undefined).destroy();
    plain.on('error', () => undefined).destroy();
  }
}
