import type { Resource } from '@opentelemetry/resources';
import type { MetricFamily } from '../core/ports/telemetry.ts';
import { metricsOf, rejectedPoints, requestsOf } from './metric-data.ts';
import { SeriesStarts } from './series-starts.ts';
import { SignalQueue, type SignalQueueOptions } from './signal-queue.ts';

/** Values of a request at first, and after a collector has found requests too large again and again. */
const pointsMost = 2000;
const pointsLeast = 50;

export interface MetricExportOptions extends Omit<SignalQueueOptions, 'rejectedIn' | 'isTooLarge'> {
  /** Milliseconds. */
  readonly interval: number;
  readonly collect: () => Promise<Iterable<MetricFamily>>;
  readonly resource: Resource;
  readonly version: string;
  readonly failed: (error: unknown) => void;
}

/** Sends the metrics of the gateway at each interval. */
export class MetricExport {
  readonly #options: MetricExportOptions;
  readonly #queue: SignalQueue;
  readonly #begin = Date.now();
  readonly #starts = new SeriesStarts(this.#begin);
  readonly #timer: NodeJS.Timeout;
  #most = pointsMost;
  #isCollecting = false;

  constructor(options: MetricExportOptions) {
    this.#options = options;
    const isTooLarge = (): void => void (this.#most = Math.max(pointsLeast, Math.floor(this.#most / 2)));
    this.#queue = new SignalQueue({ ...options, rejectedIn: rejectedPoints, isTooLarge });
    this.#timer = setInterval(() => void this.#tick(), options.interval);
  }

  /** Sends what there is now once more. */
  async close(milliseconds: number): Promise<void> {
    clearInterval(this.#timer);
    await this.#tick();
    await this.#queue.close(milliseconds);
  }

  /** Never rejects. */
  async #tick(): Promise<void> {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    const { collect, resource, version, failed } = this.#options;
    try {
      const metrics = metricsOf(await collect(), this.#starts, { begin: this.#begin, now: Date.now() });
      for (const { body, points } of requestsOf(metrics, resource, version, this.#most))
        await this.#queue.add(body, points);
    } catch (error) {
      failed(error);
    } finally {
      this.#isCollecting = false;
    }
  }
}
