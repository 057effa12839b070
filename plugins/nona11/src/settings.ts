export const ConnectionMode = { CLIENT: 0, SERVER: 1 } as const;

/** Settings of an A11 node: see settings.schema.json. */
export interface Settings {
  readonly connection_mode: number;
  /** The device's address, or in server mode the local address to listen on. */
  readonly host: string;
  readonly port: number;
  /** The site of tags that name none. */
  readonly site: number;
  /** Milliseconds to wait for an answer. */
  readonly timeout: number;
  /** Milliseconds between an answer and the next request. */
  readonly interval: number;
}
