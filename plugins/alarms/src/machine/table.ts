import { Flag, type Beneath } from './states.ts';

/** What happens to an alarm. `active` and `inactive`: the condition, its delays included. */
export type AlarmEvent =
  | 'active'
  | 'inactive'
  | 'acknowledge'
  | 'reset'
  | 'shelve'
  | 'unshelve'
  | 'suppress'
  | 'unsuppress'
  | 'out of service'
  | 'in service';

/** One transition of the states A to F. */
export interface StateRow {
  readonly from: Beneath;
  readonly event: 'active' | 'inactive' | 'acknowledge' | 'reset';
  readonly to: Beneath;
  /** Only of alarms that are latching, or only of those that are not. Absent: of both. */
  readonly latching?: boolean;
  /** An occurrence begins. */
  readonly begins?: true;
}

/** One transition of a flag, which leaves the state beneath as it is. */
export interface FlagRow {
  readonly event: Exclude<AlarmEvent, StateRow['event']>;
  readonly flag: Flag;
  readonly isSet: boolean;
  /** Flags under which the event does not happen. */
  readonly unless: number;
}

const [A, B, C, D, E, F] = [0, 1, 2, 3, 4, 5] as const;

/** The states that follow the condition, with the letters of ISA-18.2. What is not here does not happen. */
export const stateRows: readonly StateRow[] = [
  { from: A, event: 'active', to: B, begins: true },
  { from: B, event: 'acknowledge', to: C },
  { from: B, event: 'inactive', to: D, latching: false },
  { from: B, event: 'inactive', to: E, latching: true },
  { from: C, event: 'inactive', to: A, latching: false },
  { from: C, event: 'inactive', to: F, latching: true },
  { from: D, event: 'acknowledge', to: A },
  { from: D, event: 'active', to: B, begins: true },
  { from: E, event: 'acknowledge', to: F },
  { from: E, event: 'active', to: B },
  { from: F, event: 'reset', to: A },
  { from: F, event: 'active', to: B, begins: true },
];

const { OUT_OF_SERVICE, SHELVED, SUPPRESSED } = Flag;

/** G, H and I: flags beside the state beneath, which comes out again when they are gone. */
export const flagRows: readonly FlagRow[] = [
  { event: 'shelve', flag: SHELVED, isSet: true, unless: SHELVED | SUPPRESSED | OUT_OF_SERVICE },
  { event: 'unshelve', flag: SHELVED, isSet: false, unless: 0 },
  { event: 'suppress', flag: SUPPRESSED, isSet: true, unless: 0 },
  { event: 'unsuppress', flag: SUPPRESSED, isSet: false, unless: 0 },
  { event: 'out of service', flag: OUT_OF_SERVICE, isSet: true, unless: 0 },
  { event: 'in service', flag: OUT_OF_SERVICE, isSet: false, unless: 0 },
];
