import { Hub } from './hub.ts';
import { TabChannel } from './tab-channel.ts';

/** Opens a port to the hub of all tabs. It runs in a shared worker or, in a browser without shared workers, in one of the tabs. */
export function openHub(): MessagePort {
  if (typeof SharedWorker !== 'undefined') {
    const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'tagway',
    });
    return worker.port;
  }
  const { port1, port2 } = new MessageChannel();
  if (typeof BroadcastChannel === 'undefined') new Hub().add(port2);
  else new TabChannel(new URL('.', document.baseURI).href, port2);
  return port1;
}
