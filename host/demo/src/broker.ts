import { createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';

/** A broker of the demo's own, so that nothing has to be installed. */
export class Broker {
  #server: Server | undefined;
  #aedes: Aedes | undefined;

  /** Listens on this port of 127.0.0.1. */
  async listen(port: number): Promise<void> {
    const aedes = await Aedes.createBroker();
    const server = createServer(aedes.handle);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    this.#aedes = aedes;
    this.#server = server;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#aedes) this.#aedes.close(resolve);
      else resolve();
    });
    this.#server?.close();
  }
}
