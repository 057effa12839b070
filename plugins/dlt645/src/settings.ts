import type { SerialSettings, TcpSettings } from '@tagway/serial';

interface MeterSettings {
  /** Address of the meter that tags without an address of their own are read from: up to twelve decimal digits. */
  readonly mail_address: number | string;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
  /** Milliseconds of silence between two requests. */
  readonly interval: number;
  /** How often a request without an answer is sent again. */
  readonly max_retries: number;
}

/** Settings of a DL/T645 node: see settings.schema.json. */
export type Settings = MeterSettings & (SerialSettings | TcpSettings);
