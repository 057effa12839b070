import type { OtlpConfig } from '../config/otlp-option.ts';
import type { SystemFacts } from '../core/ports/machine.ts';
import type { LogEntry, MetricFamily, SampleSpan, Signal, SignalCounts } from '../core/ports/telemetry.ts';
import { Collector } from './collector.ts';
import { LogExport } from './log-export.ts';
import { MetricExport } from './metric-export.ts';
import { Outages } from './outages.ts';
import { type ResourceIdentity, resourceOf } from './resource.ts';
import { SpanExport } from './span-export.ts';

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

/** What is sent is taken from here. */
export interface TelemetrySources {
  readonly collect: () => Promise<Iterable<MetricFamily>>;
  /** Gives the entries of the log; undefined when they are not sent. */
  readonly entries: { begin(take: (entry: LogEntry) => void): void } | undefined;
  /** Gives the steps of followed readings; undefined when none is followed. */
  readonly spans: { begin(take: (span: SampleSpan) => void): void } | undefined;
  /** Name of the plugin of a node; undefined when there is no such node. */
  readonly pluginOf: (node: string) => string | undefined;
}

/** Sends what the gateway knows of itself to a collector of OpenTelemetry. */
export class Telemetry {
  readonly counts: readonly SignalCounts[];
  readonly #options: TelemetryOptions;
  readonly #collector: Collector;
  readonly #outages: Outages;
  readonly #exports: { close(milliseconds: number): Promise<void> }[] = [];

  private constructor(options: TelemetryOptions, collector: Collector) {
    this.#options = options;
    this.#collector = collector;
    this.#outages = new Outages(options.config.endpoint, options.log);
    const { logs, traces } = options.config;
    const signals: readonly Signal[] = [
      'metrics',
      ...(logs ? ['logs' as const] : []),
      ...(traces > 0 ? ['traces' as const] : []),
    ];
    this.counts = signals.map((signal) => ({ signal, sent: 0, dropped: 0, waiting: 0 }));
  }

  /** Rejects, with a sentence, when a file of the options cannot be used. */
  static async open(options: TelemetryOptions): Promise<Telemetry> {
    const collector = new Collector(options.config);
    await collector.check();
    return new Telemetry(options, collector);
  }

  /** Sends from now on. */
  start({ collect, entries, spans, pluginOf }: TelemetrySources): void {
    const { config, identity, os, log } = this.#options;
    const { version } = identity;
    const resource = resourceOf(identity, os, config.resource);
    const origin = { resource, scope: { name: 'tagway', version } };
    for (const counts of this.counts) {
      const sending = {
        collector: this.#collector,
        outages: this.#outages,
        counts,
        isCompressed: config.compression === 'gzip',
      };
      switch (counts.signal) {
        case 'metrics': {
          const failed = (error: unknown): void =>
            log.error(
              `Metrics for the collector of OpenTelemetry failed by an error of the gateway: ${String(error)}`,
            );
          const interval = config.interval * 1000;
          this.#exports.push(new MetricExport({ ...sending, interval, collect, resource, version, failed }));
          break;
        }
        case 'logs': {
          const logs = new LogExport(sending, { ...origin, pluginOf });
          entries?.begin(logs.take);
          this.#exports.push(logs);
          break;
        }
        case 'traces': {
          const traces = new SpanExport(sending, origin);
          spans?.begin(traces.take);
          this.#exports.push(traces);
          break;
        }
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#exports.map((one) => one.close(atEnd)));
    this.#collector.close();
  }
}
