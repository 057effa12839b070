/** A node's settings, with the schema's defaults filled in. */
export interface Settings {
  readonly links: string;
  readonly watchdogs: string;
}
