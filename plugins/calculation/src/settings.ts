/** Settings of a Calculation node: see settings.schema.json. */
export interface Settings {
  /** 0: on new values of the inputs; 1: at the interval of the group. */
  readonly evaluate: 0 | 1;
  /** Seconds. */
  readonly save_interval: number;
}
