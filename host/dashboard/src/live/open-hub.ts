import { Hub } from './hub.ts';

/** The way to the hub: one for all tabs where the browser has shared workers, one of this tab's own elsewhere. */
export function openHub(): MessagePort {
  if (typeof SharedWorker !== 'undefined') {
    const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'tagway',
    });
    return worker.port;
  }
  const { port1, port2 } = new MessageChannel();
  new Hub().add(port2);
  return port1;
}
