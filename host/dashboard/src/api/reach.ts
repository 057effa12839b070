import { onlineManager } from '@tanstack/react-query';

/**
 * Whether the gateway can be reached, by what the stream sees. Meanwhile nothing is asked for, and nothing that changes something is
 * sent or kept to be sent later.
 */
let isLost = false;
let outage = new AbortController();

// Whether the computer has a network at all says nothing: the gateway may be the computer itself.
onlineManager.setEventListener(() => undefined);

export const reach = {
  isLost: (): boolean => isLost,

  /** Aborted when the gateway is lost next. */
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
