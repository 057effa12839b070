import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { appConformance } from '@tagway/pluginkit';

/** A device that is written over a connection of its own for each request of the gateway, at the port that the name of its group is. */
async function device(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close');
    },
  };
}

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: device,
    settings: (port) => ({
      links: `tag("plant/fast/level"), tag("device/${port}/level")`,
      watchdogs: '',
    }),
  },
  inputs: { values: { 'plant/fast/level': 1 }, others: { 'plant/fast/level': 2 }, alone: true },
  refusedSettings: { links: 'tag("plant/fast/level")' },
  gateway: {
    write(writes) {
      for (const { group, value } of writes)
        connect(Number(group), '127.0.0.1')
          .on('error', () => undefined)
          .end(String(value));
      return writes.map(() => undefined);
    },
  },
});
