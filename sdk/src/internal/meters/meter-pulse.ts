import { type NodeContext, sendMeters } from '../runner/node-context.ts';
import type { Port } from '../channel/protocol.ts';

/** Milliseconds after which changed meters are sent: with the next sample after the shorter time, without one after the longer. */
const interval = { withSample: 900, alone: 1200 };

/** Sends the meters of a runner about once a second, beside samples: waking up two processes for meters alone costs more than they do. */
export class MeterPulse implements Disposable {
  readonly #port: Port;
  readonly #nodes: () => Iterable<NodeContext>;
  readonly #timer: NodeJS.Timeout;
  #sentAt = performance.now();

  constructor(port: Port, nodes: () => Iterable<NodeContext>) {
    this.#port = port;
    this.#nodes = nodes;
    this.#timer = setInterval(() => this.#send(), interval.alone).unref();
  }

  /** Called when a sample is sent or received. */
  besideSample(): void {
    if (performance.now() - this.#sentAt < interval.withSample) return;
    this.#timer.refresh();
    this.#send();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    this.#sentAt = performance.now();
    sendMeters(this.#port, this.#nodes());
  }
}
