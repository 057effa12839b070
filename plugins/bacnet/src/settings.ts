import { ErrorCode, Fault } from '@tagway/sdk';
import type { Route } from './protocol.ts';

/** Settings of a BACnet/IP node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Instance of the device; 4194303: the device is asked. */
  readonly device_id: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** How often a request without an answer is sent again. */
  readonly retries: number;
  readonly max_in_flight: number;
  /** Priority of writes, 1 to 16, for addresses that name none. */
  readonly write_priority: number;
  /** How SUBSCRIBE tags get their values: see `CovMode`. */
  readonly cov: number;
  /** Seconds. */
  readonly cov_lifetime: number;
  /** The network of a device behind a router; 0: the device is not behind one. */
  readonly network: number;
  /** The device's address in that network, in hexadecimal digits. */
  readonly mac: string;
  /** The local UDP port; 0: any. */
  readonly local_port: number;
  /** Where Who-Is is sent to. */
  readonly broadcast: string;
  /** The local UDP port at which the answers to Who-Is are heard; many devices send them to all on 47808. */
  readonly discovery_port: number;
  /** A broadcast management device, at which the node is registered as a foreign device while it runs; empty: none. */
  readonly bbmd_host: string;
  readonly bbmd_port: number;
  /** Seconds for which a registration holds; it is renewed after half of them. */
  readonly bbmd_ttl: number;
}

export const CovMode = { OFF: 0, UNCONFIRMED: 1, CONFIRMED: 2 } as const;

export function checkSettings({ network, mac }: Readonly<Settings>): Fault | undefined {
  if ((network === 0) === (mac === '')) return undefined;
  return new Fault(
    ErrorCode.NODE_SETTING_INVALID,
    network === 0
      ? 'The setting mac holds the address of a device behind a router, so the setting network must hold the number of its network.'
      : 'The setting network names the network of a device behind a router, so the setting mac must hold its address there, such as 0A.',
  );
}

/** The way to the device behind its router, if it is behind one. */
export function routeOf({ network, mac }: Readonly<Settings>): Route | undefined {
  return network === 0 ? undefined : { network, mac: Buffer.from(mac, 'hex') };
}
