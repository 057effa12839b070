/** Settings of an Alarms node: see settings.schema.json. */
export interface Settings {
  /** Seconds. */
  readonly longest_shelf: number;
}
