import type { OtlpConfig } from '../config/otlp-option.ts';
import type { SystemFacts } from '../core/ports/machine.ts';
import type { MetricFamily, SignalCounts } from '../core/ports/telemetry.ts';
import { Collector } from './collector.ts';
import { MetricExport } from './metric-export.ts';
import { Outages } from './outages.ts';
import { type ResourceIdentity, resourceOf } from './resource.ts';

/** Milliseconds that the last requests may take at the end of the gateway. */
const atEnd = 2000;

export interface TelemetryOptions {
  readonly config: OtlpConfig;
  readonly identity: ResourceIdentity;
  readonly os: SystemFacts['os'];
  readonly log: {
    warn(sentence: string): void;
    notice(sentence: string): void;
    error(sentence: string): void;
  };
}

/** Sends what the gateway knows of itself to a collector of OpenTelemetry. */
export class Telemetry {
  readonly counts: readonly SignalCounts[];
  readonly #options: TelemetryOptions;
  readonly #collector: Collector;
  readonly #outages: Outages;
  #metrics: MetricExport | undefined;

  private constructor(options: TelemetryOptions, collector: Collector) {
    this.#options = options;
    this.#collector = collector;
    this.#outages = new Outages(options.config.endpoint, options.log);
    this.counts = [{ signal: 'metrics', sent: 0, dropped: 0, waiting: 0 }];
  }

  /** Rejects, with a sentence, when a file of the options cannot be used. */
  static async open(options: TelemetryOptions): Promise<Telemetry> {
    const collector = new Collector(options.config);
    await collector.check();
    return new Telemetry(options, collector);
  }

  /** Sends metrics from now on. */
  start(collect: () => Promise<Iterable<MetricFamily>>): void {
    const { config, identity, os, log } = this.#options;
    this.#metrics = new MetricExport({
      collector: this.#collector,
      outages: this.#outages,
      counts: this.counts[0]!,
      isCompressed: config.compression === 'gzip',
      interval: config.interval * 1000,
      collect,
      resource: resourceOf(identity, os, config.resource),
      version: identity.version,
      failed: (error) =>
        log.error(
          `Metrics for the collector of OpenTelemetry failed by an error of the gateway: ${String(error)}`,
        ),
    });
  }

  async close(): Promise<void> {
    await this.#metrics?.close(atEnd);
    this.#collector.close();
  }
}
