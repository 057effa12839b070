import { connectAsync } from 'mqtt';
import type { MqttClient } from 'mqtt';
import type { Change } from './ledger.ts';

/** The factor by which the event source shifts the number of a change to hold the time beside it. */
const stampRange = 2 ** 17;

/** Notes which samples arrive at a broker: their timestamps, and the numbers of the changes in them. */
export class Arrivals {
  /** Timestamps by `node/group`, in the order of their arrival. */
  readonly times = new Map<string, number[]>();
  readonly changes: Change[] = [];
  count = 0;
  /** Messages that are no samples. */
  readonly strange: string[] = [];
  readonly #counted: string;
  #client: MqttClient | undefined;

  /** `counted` is the node whose values are numbered changes. */
  constructor(counted: string) {
    this.#counted = counted;
  }

  async connect(port: number): Promise<void> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    this.#client = client;
    client.on('message', (topic, payload) => this.#note(topic, payload));
    await client.subscribeAsync('soak/#', { qos: 1 });
  }

  async close(): Promise<void> {
    await this.#client?.endAsync(true);
    this.#client = undefined;
  }

  /** Timestamp of the latest sample of a group, 0 before the first. */
  latest(key: string): number {
    return this.times.get(key)?.at(-1) ?? 0;
  }

  #note(topic: string, payload: Buffer): void {
    const head = payload.toString('latin1', 0, 200);
    const found = /^\{"node":"(?<node>[^"]+)","group":"(?<group>[^"]+)","timestamp":(?<time>\d+)/.exec(
      head,
    )?.groups;
    if (found === undefined) {
      if (this.strange.length < 100) this.strange.push(`${topic}: ${head}`);
      return;
    }
    const { node = '', group = '', time } = found;
    const key = `${node}/${group}`;
    this.count += 1;
    let times = this.times.get(key);
    if (times === undefined) this.times.set(key, (times = []));
    times.push(Number(time));
    if (node !== this.#counted) return;
    const { values = {} } = JSON.parse(payload.toString()) as { values?: Record<string, number> };
    for (const value of Object.values(values)) {
      // 0 is what every point shows before its first change, and when it is read.
      if (value > 0) this.changes.push({ time: Number(time), number: Math.floor(value / stampRange) });
    }
  }
}
