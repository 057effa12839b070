import { alarmStates, type AlarmState as StateName } from '@tagway/sdk';

/** What is shown of an alarm: the codes of the states of ISA-18.2, A to I in the letters of the standard. */
export const Shown = {
  NORMAL: 0,
  UNACKNOWLEDGED: 1,
  ACKNOWLEDGED: 2,
  RETURNED: 3,
  LATCHED: 4,
  LATCHED_ACKNOWLEDGED: 5,
  SHELVED: 6,
  SUPPRESSED: 7,
  OUT_OF_SERVICE: 8,
} as const;

export type Shown = (typeof Shown)[keyof typeof Shown];

/** The states A to F, which follow the condition, also beneath the flags. */
export type Beneath = 0 | 1 | 2 | 3 | 4 | 5;

/** What hides the state beneath; an alarm may have several. */
export const Flag = { SHELVED: 1, SUPPRESSED: 2, OUT_OF_SERVICE: 4 } as const;

export type Flag = (typeof Flag)[keyof typeof Flag];

/** The state in words, as tags of type STRING have it. */
export const nameOf = (shown: Shown): StateName => alarmStates[shown];

/** All of one alarm that outlives a run. It is never changed: a transition makes another one. */
export interface AlarmState {
  readonly beneath: Beneath;
  /** Flags of `Flag`. */
  readonly flags: number;
  /** How many times the condition has begun; what belongs to one occurrence has the same number. */
  readonly occurrence: number;
  /** When the last transition was, in the samples' time. */
  readonly since: number;
  /** When the shelf ends by the clock of the gateway, 0 without a shelf. */
  readonly shelfEnd: number;
  /** The shelf ends when the condition returns to normal. */
  readonly isOneShot: boolean;
}

export const initialState: AlarmState = {
  beneath: Shown.NORMAL,
  flags: 0,
  occurrence: 0,
  since: 0,
  shelfEnd: 0,
  isOneShot: false,
};

/** The state that is shown: out of service before suppressed before shelved before what is beneath. */
export function shownOf({ beneath, flags }: Pick<AlarmState, 'beneath' | 'flags'>): Shown {
  if ((flags & Flag.OUT_OF_SERVICE) !== 0) return Shown.OUT_OF_SERVICE;
  if ((flags & Flag.SUPPRESSED) !== 0) return Shown.SUPPRESSED;
  if ((flags & Flag.SHELVED) !== 0) return Shown.SHELVED;
  return beneath;
}

/** Whether the condition is there as far as the state knows it, delays included: B and C. */
export function isAbnormal({ beneath }: Pick<AlarmState, 'beneath'>): boolean {
  return beneath === Shown.UNACKNOWLEDGED || beneath === Shown.ACKNOWLEDGED;
}

/** Whether the alarm is active for those who watch: B, C, E and F. */
export function isActive(shown: Shown): boolean {
  return (
    shown === Shown.UNACKNOWLEDGED ||
    shown === Shown.ACKNOWLEDGED ||
    shown === Shown.LATCHED ||
    shown === Shown.LATCHED_ACKNOWLEDGED
  );
}
