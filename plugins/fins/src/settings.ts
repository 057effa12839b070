/** Settings of a FINS node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Most words of one read request. */
  readonly max_words: number;
  /** The gateway's node address in the FINS network; 0 lets the PLC choose. */
  readonly local_node: number;
  /** The network, node and unit of the PLC that is read; node 0 is the one that is connected to. */
  readonly network: number;
  readonly node: number;
  readonly unit: number;
}
