/** Settings of an IEC 60870-5-104 node, with the schema's defaults filled in: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Common address of ASDU. */
  readonly ca: number;
  /** Seconds; 0: at connect only. */
  readonly interval: number;
  /** Seconds; 0: never. */
  readonly counter_interval: number;
  /** Seconds; 0: never. */
  readonly clock_interval: number;
  /** Minutes by which the standard time of the station is ahead of UTC. */
  readonly utc_offset: number;
  readonly select_before_operate: boolean;
  /** Milliseconds. */
  readonly termination_wait: number;
  /** t0 to t3 in seconds. */
  readonly t0: number;
  readonly t1: number;
  readonly t2: number;
  readonly t3: number;
  readonly k: number;
  readonly w: number;
  readonly backup_host?: string;
  /** 0: that of `port`. */
  readonly backup_port: number;
  readonly tls: boolean;
  /** Certificates and keys are PEM files as base64. */
  readonly tls_ca?: string;
  readonly tls_cert?: string;
  readonly tls_key?: string;
  readonly tls_keypass?: string;
  readonly tls_name?: string;
}
