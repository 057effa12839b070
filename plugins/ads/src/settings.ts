/** Settings of an ADS node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** AMS NetId of this gateway, six numbers with dots. */
  readonly src_ams_net_id: string;
  readonly src_ams_port: number;
  /** AMS NetId of the controller. */
  readonly dst_ams_net_id: string;
  readonly dst_ams_port: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Requests that may wait for their answers at the same time. */
  readonly max_in_flight: number;
  /** Most items of a sum request. */
  readonly max_items: number;
}
