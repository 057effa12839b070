/** Settings of an EtherNet/IP node: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** A slot, a route such as `1,0,2,10.0.0.5,1,0`, or empty: by the controller. */
  readonly path: string;
  /** 0 is found out, 1 Logix, 2 Micro800, 3 NJ and NX. */
  readonly controller: number;
  /** Bytes of the largest message that is asked for; 0 is no connection. */
  readonly connection_size: number;
  /** Whether the list of the controller's tags is read. */
  readonly tag_list: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}
