import { aedesBroker } from '@tagway/broker/test';
import { appConformance } from '@tagway/pluginkit';

/** A broker that counts what clients publish. */
async function broker(): Promise<{ port: number; taken: number } & AsyncDisposable> {
  const { aedes, port, [Symbol.asyncDispose]: dispose } = await aedesBroker();
  const server = { port, taken: 0, [Symbol.asyncDispose]: dispose };
  aedes.on('publish', (_packet, client) => {
    if (client !== null) server.taken++;
  });
  return server;
}

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: broker,
    settings: (port) => ({
      'client-id': `conformance-${port}`,
      host: '127.0.0.1',
      port,
      format: 0,
      'cache-mem-size': 0,
      'cache-disk-size': 0,
    }),
  },
  params: { topic: 'plant/group' },
});
