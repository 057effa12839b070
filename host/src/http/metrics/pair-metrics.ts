import type { Pair } from '../../core/ports/pair.ts';
import type { Exposition } from './prometheus.ts';

/** What a gateway measures of the pair that it belongs to. What it does not know is left out. */
export function addPair(text: Exposition, pair: Pair): void {
  const { id, role, handingOver, leaseAge, lag, reachable, problem, lastSwitch, switches, members } =
    pair.status();
  const gauge = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) text.gauge(name, help, value);
  };
  const isActive = Number(role === 'active' && !handingOver);
  const ready = members.filter((member) => member.ready).length;
  const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
  text.gauge('pair_active', '1 on the gateway of the pair that polls, 0 on its standby.', isActive, {
    pair: id,
  });
  gauge('pair_members', 'Gateways of the pair that are there and ready, this one among them.', ready);
  const etcd = '1 while the majority of etcd answers this gateway, 0 while it does not.';
  gauge('pair_etcd_reachable', etcd, Number(reachable));
  const refuses = '1 while etcd answers and refuses what this gateway asks, as when its database is full.';
  gauge('pair_etcd_refuses', refuses, Number(reachable && problem !== undefined));
  const age = 'Seconds since the active gateway renewed its lease, as far as this one knows.';
  gauge('pair_lease_age_seconds', age, seconds(leaseAge));
  const entries = 'Changes of the configuration that this gateway has yet to take over.';
  gauge('pair_replication_lag_entries', entries, lag?.entries);
  gauge('pair_replication_lag_seconds', 'Seconds for which this gateway has been behind.', seconds(lag?.ms));
  text.counter('pair_switches_total', 'Changes of the active gateway that this one has seen.', switches);
  const time = 'When the active gateway changed last, in seconds since the epoch.';
  gauge('pair_last_switch_timestamp_seconds', time, seconds(lastSwitch?.time));
}
