import { initialState, type AlarmState, type Beneath } from './machine/states.ts';

/** The state of one tag's alarm, whatever plan it is in: as it is now, and whether that is stored. */
export class KeptAlarm {
  /** Number of the tag. */
  readonly id: number | undefined;
  state: AlarmState = initialState;
  /** Whether there is a state: from an earlier run, or because the condition was known once. */
  isKnown = false;
  readonly #onChange: (alarm: KeptAlarm) => void;

  constructor(id: number | undefined, onChange: (alarm: KeptAlarm) => void) {
    this.id = id;
    this.#onChange = onChange;
  }

  /** A transition that is to be stored. */
  set(state: AlarmState): void {
    this.state = state;
    this.#onChange(this);
  }
}

/** The state as a text for the store. */
export function textOf({ beneath, flags, isOneShot, occurrence, shelfEnd, since }: AlarmState): string {
  return JSON.stringify([beneath, flags, occurrence, since, shelfEnd, isOneShot]);
}

/** The state that a text of the store is, undefined when it is none. */
export function stateOf(text: string): AlarmState | undefined {
  const parts = parsed(text);
  if (parts === undefined) return undefined;
  const [beneath, flags, occurrence, since, shelfEnd, isOneShot] = parts;
  if (!isWhole(beneath, 5) || !isWhole(flags, 7) || !isWhole(occurrence) || typeof isOneShot !== 'boolean')
    return undefined;
  if (typeof since !== 'number' || typeof shelfEnd !== 'number') return undefined;
  return { beneath: beneath as Beneath, flags, occurrence, since, shelfEnd, isOneShot };
}

function parsed(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function isWhole(value: unknown, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
