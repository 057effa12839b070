import { aedesBroker } from './brokers.ts';

/** A broker that counts what clients publish to topics that count. */
export async function countingBroker(
  counts: (topic: string) => boolean,
): Promise<{ port: number; taken: number } & AsyncDisposable> {
  const { aedes, port, [Symbol.asyncDispose]: dispose } = await aedesBroker();
  const server = { port, taken: 0, [Symbol.asyncDispose]: dispose };
  aedes.on('publish', ({ topic }, client) => {
    if (client !== null && counts(topic)) server.taken++;
  });
  return server;
}
