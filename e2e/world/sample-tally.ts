import { connectAsync } from 'mqtt';
import type { MqttClient } from 'mqtt';

/** When a sample was taken, in milliseconds since the epoch. */
export const timeOf = (sample: string): number => Number(sample.slice(sample.lastIndexOf(' ')));

/** Notes which samples arrive at a broker: the group and the timestamp of each, with the number of times. */
export abstract class SampleTally {
  readonly counts = new Map<string, number>();
  #client: MqttClient | undefined;

  async connect(port: number, topic: string | string[]): Promise<void> {
    this.#client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    this.#client.on('message', (from, payload) => this.take(from, payload));
    await this.#client.subscribeAsync(topic, { qos: 1 });
  }

  async close(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  /** When the first and the last of the samples were taken that have come so far. */
  get first(): number {
    return Math.min(...[...this.counts.keys()].map(timeOf));
  }

  get last(): number {
    return Math.max(...[...this.counts.keys()].map(timeOf));
  }

  /** Samples that came to the other one and not here. */
  missing(other: SampleTally): string[] {
    return [...other.counts.keys()].filter((sample) => !this.counts.has(sample));
  }

  protected abstract take(topic: string, payload: Buffer): void;

  /** `sample` is `{group} {timestamp}`. */
  protected note(sample: string): void {
    this.counts.set(sample, (this.counts.get(sample) ?? 0) + 1);
  }
}
