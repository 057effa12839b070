import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { OtlpConfig } from '../../src/config/otlp-option.ts';
import type { SignalCounts } from '../../src/core/ports/telemetry.ts';
import { Collector } from '../../src/otlp/collector.ts';
import { Outages } from '../../src/otlp/outages.ts';
import { SignalQueue, type SignalQueueOptions } from '../../src/otlp/signal-queue.ts';

export const pause = (): Promise<void> => setTimeout(20);

/** A queue before a server that answers as it is asked to. */
export class Rig implements AsyncDisposable {
  readonly counts: SignalCounts = { signal: 'metrics', sent: 0, dropped: 0, waiting: 0 };
  readonly log: string[] = [];
  readonly sending: Omit<SignalQueueOptions, 'rejectedIn'>;
  readonly queue: SignalQueue;
  requests = 0;
  tooLarge = 0;
  readonly #server: Server;
  readonly #collector: Collector;

  private constructor(server: Server, port: number) {
    this.#server = server;
    const config: OtlpConfig = {
      endpoint: `http://127.0.0.1:${port}`,
      interval: 60,
      timeout: 1,
      compression: 'none',
      logs: false,
      traces: 0,
      resource: {},
      headers: undefined,
      ca: undefined,
      cert: undefined,
      key: undefined,
    };
    this.#collector = new Collector(config);
    const say = (line: string): void => void this.log.push(line);
    this.sending = {
      collector: this.#collector,
      outages: new Outages(config.endpoint, { warn: say, notice: say }),
      counts: this.counts,
      isCompressed: false,
    };
    const isTooLarge = (): number => this.tooLarge++;
    this.queue = new SignalQueue({
      ...this.sending,
      isTooLarge,
      rejectedIn: () => ({ items: 0, reason: '' }),
    });
  }

  static async start(listener: RequestListener): Promise<Rig> {
    const server = createServer((request, response) => {
      rig.requests++;
      request.resume().on('end', () => listener(request, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const rig = new Rig(server, (server.address() as AddressInfo).port);
    return rig;
  }

  /** Waits until there are no more requests of the queue under way. */
  async settled(): Promise<void> {
    while (this.counts.waiting > 0) await pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue.close(0);
    this.#collector.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
