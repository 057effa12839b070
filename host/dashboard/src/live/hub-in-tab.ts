import { Hub } from './hub.ts';
import { TabChannel } from './tab-channel.ts';

/** Serves the port of this tab by the hub that all tabs share, or by one of its own in a browser where tabs cannot reach each other. */
export function openHubInTab(port: MessagePort): void {
  if (typeof BroadcastChannel === 'undefined') new Hub().add(port);
  else new TabChannel(new URL('.', document.baseURI).href, port);
}
