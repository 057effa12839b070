import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * The right to move the gate in the kernel of a data folder: a socket without a file, whose name one process of a network namespace has at a
 * time, until it ends, also by a kill. The gate belongs to a network namespace, too.
 */
export class FolderLock implements Disposable {
  readonly #server: Server | undefined;

  private constructor(server?: Server) {
    this.#server = server;
  }

  /** Undefined when another process has it. Where there are no such sockets, there is no gate either. */
  static take(data: string): Promise<FolderLock | undefined> {
    if (process.platform !== 'linux') return Promise.resolve(new FolderLock());
    const name = createHash('sha256').update(data).digest('hex');
    return new Promise((resolve) => {
      const server = createServer((socket) => socket.destroy());
      server.unref();
      server.once('error', () => resolve(undefined));
      server.listen(`\0tagway-agent-${name}`, () => resolve(new FolderLock(server)));
    });
  }

  [Symbol.dispose](): void {
    this.#server?.close();
  }
}
