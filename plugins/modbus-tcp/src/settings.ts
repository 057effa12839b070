import type { ModbusSettings } from '@tagway/modbus';

export const ConnectionMode = { CLIENT: 0, SERVER: 1 } as const;
export const TransportMode = { TCP: 0, UDP: 1 } as const;

/** Settings of a Modbus TCP node: see settings.schema.json. */
export interface Settings extends ModbusSettings {
  /** Requests that may wait for their answers at the same time. */
  readonly max_in_flight: number;
  readonly connection_mode: number;
  readonly transport_mode: number;
  /** The device's address, or in server mode the local address to listen on. */
  readonly host: string;
  readonly port: number;
  readonly backup_host?: string;
  readonly backup_port?: number;
}
