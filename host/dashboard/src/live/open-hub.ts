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
  // The port keeps what is sent until there is a hub.
  void import('./hub-in-tab.ts').then(({ openHubInTab }) => openHubInTab(port2));
  return port1;
}
