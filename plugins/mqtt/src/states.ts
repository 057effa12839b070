import type { AppContext } from '@tagway/sdk';

/** Publishes the states of all drivers every `interval` milliseconds until the run ends, while there is a broker and any driver. */
export async function reportStates(
  context: Pick<AppContext, 'clock' | 'drivers' | 'log' | 'node' | 'signal'>,
  interval: number,
  connected: () => boolean,
  publish: (payload: Buffer) => void,
): Promise<void> {
  const { clock, log, node, signal } = context;
  while (!signal.aborted) {
    if (connected()) {
      try {
        // Members and their names are those of the family of this API.
        const drivers = await context.drivers();
        const states = drivers.map(({ driver, running, link }) => ({
          node: driver,
          running,
          link,
        }));
        if (states.length > 0) publish(Buffer.from(JSON.stringify({ timestamp: clock.now(), states })));
      } catch (error) {
        log.debug(`The node ${node} could not report the states of the drivers: ${String(error)}`);
      }
    }
    await clock.sleep(interval, signal).catch(() => undefined);
  }
}
