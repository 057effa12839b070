import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { reachability } from '../api/reachability.ts';

/** Milliseconds between two attempts to load a part. */
const period = 1000;

/** Most failed attempts while there is a connection. More mean that the file no longer exists, as after an upgrade of the gateway. */
const mostFailures = 3;

/**
 * A part of the page in its own file, loaded when it is first shown. Without a connection it is tried again until it is loaded; React's
 * `lazy` alone would keep the failure for ever.
 */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await load();
      } catch (error) {
        // A file may fail to load before the stream notices that the connection is lost.
        if (!reachability.isLost() && failures > mostFailures) throw error;
        await new Promise((resolve) => setTimeout(resolve, period));
      }
    }
  });
}
