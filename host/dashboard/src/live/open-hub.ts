import { Hub } from './hub.ts';
import { TabChannel } from './tab-channel.ts';

/** The way to the hub: one for all tabs, in a shared worker or, where the browser has none, in one of the tabs. */
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
