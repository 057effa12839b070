import type { ConfigSource } from '../../core/ports/config-source.ts';
import type { Exposition } from './prometheus.ts';

/** How the configuration of a gateway is beside the source that it is pulled from. What is not known is left out. */
export function addSource(text: Exposition, source: ConfigSource): void {
  const { applied, lookedAt, drift, problem } = source.status();
  const gauge = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) text.gauge(name, help, value);
  };
  const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
  if (applied !== undefined)
    text.gauge('config_info', 'Always 1; its label says which commit is applied.', 1, {
      commit: applied.commit,
    });
  const when = 'When the commit was applied, in seconds since the epoch.';
  gauge('config_applied_timestamp_seconds', when, seconds(applied?.time));
  const looked = 'When the source was last there and good, in seconds since the epoch.';
  gauge('config_looked_timestamp_seconds', looked, seconds(lookedAt));
  const differs = 'In how many things the gateway is not as the source says.';
  gauge('config_drift', differs, drift.differences);
  const failed =
    '1 while what is in the source is not applied, because it is not there or wrong, otherwise 0.';
  gauge('config_problem', failed, Number(problem !== undefined));
}
