import type { Settings } from '../src/settings.ts';

/** The settings of a node on this machine, with the schema's defaults except that nothing waits between requests. */
export function settingsFor(port: number, changes: Partial<Settings> = {}): Settings {
  return {
    connection_mode: 0,
    transport_mode: 0,
    host: '127.0.0.1',
    port,
    timeout: 1000,
    interval: 0,
    max_in_flight: 1,
    max_gap: 0,
    max_retries: 0,
    retry_interval: 0,
    device_degrade: 0,
    degrade_cycle: 2,
    degrade_time: 600,
    endianess: 1,
    endianess_64: 1,
    address_base: 1,
    ...changes,
  };
}
