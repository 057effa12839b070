import { dialects } from '@tagway/schemas';
import { buildInfo } from '../build-info.ts';
import type { Config } from '../config/config.ts';
import type { ConfigSource } from '../core/ports/config-source.ts';
import type { SignalCounts } from '../core/ports/telemetry.ts';
import { collectMetrics } from '../http/metrics/metrics.ts';
import { System } from '../machine/system.ts';
import type { Assembled } from './assemble.ts';

/** What sends the gateway's metrics elsewhere. */
export interface AppTelemetry {
  readonly counts: readonly SignalCounts[];
  close(): Promise<void>;
}

/** Undefined without a collector of OpenTelemetry: such a gateway loads nothing of it. */
export async function telemetryOf(
  config: Config,
  { gateway, log, pair, spans }: Assembled,
  source: ConfigSource | undefined,
): Promise<AppTelemetry | undefined> {
  const { otlp, name, data } = config;
  if (otlp === undefined) return undefined;
  const { Telemetry } = await import('../otlp/telemetry.ts');
  // Of its own: the load of a machine is measured from one reading of its facts to the next.
  const machine = new System(data);
  // What is logged about sending is not sent.
  const quiet =
    (level: 'warn' | 'notice' | 'error') =>
    (sentence: string): void => {
      const say = (): void => log.core[level](sentence);
      if (log.entries === undefined) say();
      else log.entries.without(say);
    };
  const identity = { name, ...buildInfo };
  const telemetry = await Telemetry.open({
    config: otlp,
    identity,
    os: (await machine.facts()).os,
    log: { warn: quiet('warn'), notice: quiet('notice'), error: quiet('error') },
  });
  const { counts } = telemetry;
  const dialect = dialects.specification;
  telemetry.start({
    collect: () => collectMetrics({ gateway, machine, dialect, identity, pair, source, telemetry: counts }),
    entries: log.entries,
    spans,
    pluginOf: (node) => gateway.nodes.find(node)?.plugin.name,
  });
  return telemetry;
}
