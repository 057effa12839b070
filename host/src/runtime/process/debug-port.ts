import { once } from 'node:events';
import { createServer } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import { Fault, type Log } from '@tagway/sdk';
import type { Plugin } from '../../core/model.ts';

/** Where debuggers may attach to the runners of plugins, until the gateway ends. */
export class DebugPorts {
  readonly #log: Log;
  /** By the id of the plugin. */
  readonly #ports = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  of({ id }: Plugin): number | undefined {
    return this.#ports.get(id);
  }

  /** Resolves false when it was so already. Rejects with PARAM_INVALID when the port cannot be listened at. */
  async set({ id }: Plugin, port: number | undefined): Promise<boolean> {
    if (this.#ports.get(id) === port) return false;
    if (port === undefined) return this.#ports.delete(id);
    await checkDebugPort(port);
    this.#ports.set(id, port);
    return true;
  }

  /** The runner of the plugin, which was started again, could not listen there. */
  giveUp({ id, name }: Plugin): void {
    const port = this.#ports.get(id);
    this.#ports.delete(id);
    this.#log.warn(
      `The plugin "${name}" runs without a debugger, because another process listens at its port ${port}. ` +
        'Ask for another port with PUT /api/v2/plugin/debug.',
    );
  }
}

/** Rejects with PARAM_INVALID when a port of this machine cannot be listened at. */
async function checkDebugPort(port: number): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken ? 'another process listens there' : 'the gateway may not listen there';
    throw new Fault(
      ErrorCode.PARAM_INVALID,
      `No debugger could attach at the port ${port} of the gateway's machine, because ${reason}. Choose another port.`,
      { cause },
    );
  }
  server.close();
  await once(server, 'close');
}
