import type { AppContext } from '@tagway/sdk';

/** Publishes the states of all drivers every `interval` milliseconds until the run ends, while there are a connection and a driver. */
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
        const drivers = await context.drivers();
        // The members have the names that clients of this family of APIs know.
        const states = drivers.map(({ driver: name, running, link }) => ({ node: name, running, link }));
        if (states.length > 0) publish(Buffer.from(JSON.stringify({ timestamp: clock.now(), states })));
      } catch (error) {
        log.debug(`The node ${node} could not report the states of the drivers: ${String(error)}`);
      }
    }
    await clock.sleep(interval, signal).catch(() => undefined);
  }
}
