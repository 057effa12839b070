import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { reach } from '../api/reach.ts';

/** Milliseconds between two attempts to load a part while there is no connection. */
const period = 1000;

/** Attempts that may fail although there is a connection: then the file is not there any more, as after an upgrade of the gateway. */
const mostFailures = 3;

/**
 * A part of the page in a file of its own, loaded when it is shown first. One that is opened without a connection appears when the
 * connection is back: React itself would keep the failure for ever.
 */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await load();
      } catch (error) {
        // The stream may notice a loss later than a file that does not come.
        if (!reach.isLost() && failures > mostFailures) throw error;
        await new Promise((resolve) => setTimeout(resolve, period));
      }
    }
  });
}
