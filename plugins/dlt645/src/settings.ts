export const LinkKind = { SERIAL: 0, TCP: 1 } as const;
export const ConnectionMode = { CLIENT: 0, SERVER: 1 } as const;

export const bauds = [115200, 57600, 38400, 19200, 9600, 4800, 2400, 1800, 1200, 600, 300, 200, 150] as const;
export const parities = ['none', 'odd', 'even', 'mark', 'space'] as const;
export const stopBits = [1, 2] as const;
export const dataBits = [5, 6, 7, 8] as const;

interface SharedSettings {
  /** Address of the meter that tags without an address of their own are read from: up to twelve decimal digits. */
  readonly mail_address: number;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
  /** Milliseconds of silence between two requests. */
  readonly interval: number;
  /** How often a request without an answer is sent again. */
  readonly max_retries: number;
}

export interface SerialSettings extends SharedSettings {
  readonly link: typeof LinkKind.SERIAL;
  /** Path of the port. */
  readonly device: string;
  /** Place in `stopBits`, and so on. */
  readonly stop: number;
  readonly parity: number;
  readonly baud: number;
  readonly data: number;
}

export interface TcpSettings extends SharedSettings {
  readonly link: typeof LinkKind.TCP;
  readonly connection_mode: number;
  /** Address of the meter or device server, or in server mode the local address to listen on. */
  readonly host: string;
  readonly port: number;
}

/** Settings of a DL/T645 node: see settings.schema.json. */
export type Settings = SerialSettings | TcpSettings;
