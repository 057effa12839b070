import type client from 'mqtt/lib/client';
import type { OnSettled } from './connection.ts';

type Client = InstanceType<typeof client.default>;

/**
 * Settles messages of QoS 0. A broker reads what a connection brings in order, so its answer to a ping shows that it has read all that
 * was sent before the ping; without one, a dead network would swallow messages until somebody notices.
 */
export class Proof {
  readonly #client: Client;
  /** Messages that were sent and are not proven, oldest first. */
  readonly #open: OnSettled[] = [];
  /** Per ping under way, how many messages went before it since the connection was made. */
  readonly #pings: number[] = [];
  #sent = 0;
  #proven = 0;
  #planned = false;

  constructor(mqtt: Client) {
    this.#client = mqtt;
    // The client pings by itself too, and the answers do not say which ping they are for.
    mqtt.on('packetsend', ({ cmd }) => {
      if (cmd === 'pingreq') this.#pings.push(this.#sent);
    });
    mqtt.on('packetreceive', ({ cmd }) => {
      if (cmd === 'pingresp') this.#answered();
    });
  }

  /** A message was sent just now. */
  await(settled: OnSettled): void {
    this.#open.push(settled);
    this.#sent++;
    this.#plan();
  }

  /** One ping for all messages of this moment, and one at a time. */
  #plan(): void {
    if (this.#planned || this.#pings.length > 0) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      if (this.#client.connected) this.#client.sendPing();
    });
  }

  #answered(): void {
    const upTo = this.#pings.shift() ?? this.#proven;
    const settled = this.#open.splice(0, upTo - this.#proven);
    this.#proven = upTo;
    for (const settle of settled) settle(undefined);
    if (this.#open.length > 0) this.#plan();
  }
}
