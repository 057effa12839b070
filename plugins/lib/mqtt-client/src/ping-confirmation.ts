import type client from 'mqtt/lib/client';
import type { OnSettled } from './broker.ts';

type Client = InstanceType<typeof client.default>;

/**
 * Confirms messages of QoS 0 by pings. A broker reads the packets of a connection in order, so its answer to a ping shows that it has read
 * all messages before the ping. Without a ping, messages are lost unnoticed when the network fails.
 */
export class PingConfirmation {
  readonly #client: Client;
  /** Messages that were sent and are not confirmed, oldest first. */
  readonly #open: OnSettled[] = [];
  /** For each ping without an answer: how many messages were sent before it on this connection. */
  readonly #pings: number[] = [];
  #sent = 0;
  #confirmed = 0;
  #planned = false;

  constructor(mqtt: Client) {
    this.#client = mqtt;
    // The client sends pings of its own too, and an answer does not say which ping it is for.
    mqtt.on('packetsend', ({ cmd }) => {
      if (cmd === 'pingreq') this.#pings.push(this.#sent);
    });
    mqtt.on('packetreceive', ({ cmd }) => {
      if (cmd === 'pingresp') this.#answered();
    });
  }

  /** Adds a message that was sent just now. */
  add(settled: OnSettled): void {
    this.#open.push(settled);
    this.#sent++;
    this.#planPing();
  }

  /** One ping for all messages of this turn of the event loop, and one ping at a time. */
  #planPing(): void {
    if (this.#planned || this.#pings.length > 0) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      if (this.#client.connected) this.#client.sendPing();
    });
  }

  #answered(): void {
    const upTo = this.#pings.shift() ?? this.#confirmed;
    const settled = this.#open.splice(0, upTo - this.#confirmed);
    this.#confirmed = upTo;
    for (const settle of settled) settle(undefined);
    if (this.#open.length > 0) this.#planPing();
  }
}
