import { Dialer, type Transport, type TransportEvents } from '@tagway/modbus';
import type { Clock } from '@tagway/sdk';
import type { Line } from './line.ts';
import { loadNative, type PortOptions } from './native.ts';
import type { Wire } from './rtu-link.ts';
import { SharedPort, type PortUser } from './shared-port.ts';

/** How long `open` waits for the first attempt, in milliseconds. */
const firstWait = 1000;

/** A serial port, opened again after every loss, for example when its adapter is plugged in again. */
export class SerialTransport implements Transport, Wire, PortUser {
  readonly datagrams = false;
  readonly transport = this;
  readonly node: string;
  readonly key: string;
  readonly #options: PortOptions;
  readonly #dialer: Dialer<string>;
  readonly #attempted = Promise.withResolvers<void>();
  #port: SharedPort | undefined;
  #events: TransportEvents | undefined;
  #attached = false;

  constructor(node: string, options: PortOptions, clock: Clock) {
    this.node = node;
    this.key = options.path;
    this.#options = options;
    this.#dialer = new Dialer([options.path], clock, () => void this.#attach());
  }

  get line(): Line {
    if (this.#port === undefined) throw new Error('The transport is not open.');
    return this.#port.line;
  }

  async open(events: TransportEvents): Promise<void> {
    await loadNative();
    this.#port = SharedPort.claim(this.#options, this);
    this.#events = events;
    this.#dialer.start();
    const enough = setTimeout(this.#attempted.resolve, firstWait);
    await this.#attempted.promise;
    clearTimeout(enough);
  }

  send(bytes: Buffer): void {
    if (this.#attached) this.#port?.send(this, bytes);
  }

  drop(reason: string): void {
    if (!this.#attached) return;
    this.#port?.detach(this);
    this.lost(reason);
  }

  proven(): void {
    this.#dialer.proven();
  }

  async close(): Promise<void> {
    this.#dialer.stop();
    this.#attempted.resolve();
    this.#events = undefined;
    this.#attached = false;
    await this.#port?.release(this);
  }

  received(data: Buffer, end: number): void {
    if (this.#attached) this.#events?.received(data, end);
  }

  lost(reason: string): void {
    this.#attached = false;
    this.#attempted.resolve();
    this.#events?.closed(`${this.key}: ${reason}`);
    this.#dialer.again();
  }

  async #attach(): Promise<void> {
    try {
      await this.#port?.attach(this);
      if (this.#events === undefined) return;
      this.#attached = true;
      this.#events.opened(this.key);
      this.#attempted.resolve();
    } catch (error) {
      this.lost(error instanceof Error ? error.message : String(error));
    }
  }
}
