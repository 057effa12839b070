import { aedesBroker } from '@tagway/broker/test';
import { appConformance } from '@tagway/pluginkit';

/** A broker that counts the data messages that clients publish. */
async function broker(): Promise<{ port: number; taken: number } & AsyncDisposable> {
  const { aedes, port, [Symbol.asyncDispose]: dispose } = await aedesBroker();
  const server = { port, taken: 0, [Symbol.asyncDispose]: dispose };
  aedes.on('publish', ({ topic }, client) => {
    if (client !== null && topic.includes('/DDATA/')) server.taken++;
  });
  return server;
}

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: broker,
    settings: (port) => ({
      'client-id': `conformance-${port}`,
      'group-id': 'plant',
      'node-id': `edge-${port}`,
      host: '127.0.0.1',
      port,
      'rebirth-debounce': 100,
    }),
  },
  refusedSettings: { 'group-id': 'a/b' },
  holdsData: (sent) => sent.includes('DDATA'),
});
