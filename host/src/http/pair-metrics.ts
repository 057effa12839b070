import type { Pair } from '../core/pair.ts';
import type { Exposition, Metric } from './prometheus.ts';

const gauge = (name: string, help: string): Metric => ({ name, help, type: 'gauge' });

/** What a gateway measures of the pair that it belongs to. What it does not know is left out. */
export function addPair(text: Exposition, pair: Pair): void {
  const { id, role, handingOver, leaseAge, lag, reachable, lastSwitch, switches, members } = pair.status();
  text.add(
    gauge('pair_active', '1 on the gateway of the pair that polls, 0 on its standby.'),
    Number(role === 'active' && !handingOver),
    { pair: id },
  );
  text.add(
    gauge('pair_members', 'Gateways of the pair that are there and ready, this one among them.'),
    members.filter(({ ready }) => ready).length,
  );
  text.add(
    gauge('pair_etcd_reachable', '1 while the majority of etcd answers this gateway, 0 while it does not.'),
    Number(reachable),
  );
  if (leaseAge !== undefined)
    text.add(
      gauge(
        'pair_lease_age_seconds',
        'Seconds since the active gateway renewed its lease, as far as this one knows.',
      ),
      leaseAge / 1000,
    );
  if (lag !== undefined) {
    text.add(
      gauge(
        'pair_replication_lag_entries',
        'Changes of the configuration that this gateway has yet to take over.',
      ),
      lag.entries,
    );
    text.add(
      gauge('pair_replication_lag_seconds', 'Seconds for which this gateway has been behind.'),
      lag.ms / 1000,
    );
  }
  text.add(
    {
      name: 'pair_switches_total',
      help: 'Changes of the active gateway that this one has seen.',
      type: 'counter',
    },
    switches,
  );
  if (lastSwitch !== undefined)
    text.add(
      gauge(
        'pair_last_switch_timestamp_seconds',
        'When the active gateway changed last, in seconds since the epoch.',
      ),
      lastSwitch.time / 1000,
    );
}
