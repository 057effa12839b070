/**
 * Loaded into a runner process before the runner, with `--import`: answers on request what keeps the process alive, and how many
 * sockets, servers, timers and so on exist, including those that do not keep it alive.
 */
import { createHook } from 'node:async_hooks';
import type { Resources } from './resources.ts';

const counted = new Set([
  ...['TCPWRAP', 'TCPSERVERWRAP', 'UDPWRAP', 'PIPEWRAP', 'PIPESERVERWRAP', 'TTYWRAP'],
  ...['Timeout', 'PROCESSWRAP', 'WORKER', 'FSEVENTWRAP', 'STATWATCHER', 'FILEHANDLE'],
]);
const living = new Map<number, string>();

// Node opens these on first use, and its sockets use them.
for (const stream of [process.stdout, process.stderr]) stream.setDefaultEncoding('utf8');

createHook({
  init: (id, type) => {
    if (counted.has(type)) living.set(id, type);
  },
  destroy: (id) => void living.delete(id),
}).enable();

process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('op' in message) || message.op !== 'resources')
    return;
  const resources: Resources = {
    op: 'resources',
    kinds: [...process.getActiveResourcesInfo(), ...[...living.values()].map((kind) => `${kind} in all`)],
  };
  process.send?.(resources);
});
