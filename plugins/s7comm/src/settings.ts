/** Settings of a Siemens S7 node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly rack: number;
  readonly slot: number;
  /** What the PLC takes the gateway for: 1 programming device, 2 operator panel, 3 S7 basic. */
  readonly connection_type: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes; the PLC may grant less. */
  readonly pdu_size: number;
  /** Jobs that may wait for answers at once; the PLC may grant fewer. */
  readonly max_in_flight: number;
  /** As `10.00`, or empty: 01.00. */
  readonly local_tsap: string;
  /** As `10.00`, or empty: made of connection type, rack and slot. */
  readonly remote_tsap: string;
}
