export const TransportMode = { TCP: 0, UDP: 1 } as const;
export const XyBase = { HEXADECIMAL: 0, OCTAL: 1 } as const;
export const ZrBase = { HEXADECIMAL: 0, DECIMAL: 1 } as const;

/** How the numbers of some devices are written. */
export interface Bases {
  readonly xy_base: number;
  readonly zr_base: number;
}

/** Settings of a 3E node: see settings.schema.json. */
export interface Settings extends Bases {
  readonly transport_mode: number;
  readonly host: string;
  readonly port: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** The port that UDP requests come from; 0: any. */
  readonly local_port: number;
  readonly network: number;
  readonly pc: number;
  readonly module_io: number;
  readonly station: number;
}
