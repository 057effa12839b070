import { onlineManager } from '@tanstack/react-query';

/**
 * Whether the gateway can be reached, as the connection of the hub sees it. While it cannot, nothing is fetched, and changes are neither
 * sent nor queued.
 */
let isLost = false;
let outage = new AbortController();

// The browser's own online state is ignored: the gateway may run on the same computer.
onlineManager.setEventListener(() => undefined);

export const reachability = {
  isLost: (): boolean => isLost,

  /** Aborted when the connection is lost. */
  signal: (): AbortSignal => outage.signal,

  set(isThere: boolean): void {
    isLost = !isThere;
    if (isLost) {
      outage.abort();
      outage = new AbortController();
    }
    onlineManager.setOnline(isThere);
  },
};
