import { Flag, nameOf, Shown, shownOf, type AlarmState, type Beneath } from './states.ts';
import { flagRows, stateRows, type AlarmEvent, type FlagRow, type StateRow } from './table.ts';

/** What the definition of an alarm says about its transitions. */
export interface Rules {
  readonly isLatching: boolean;
  /** False: nobody has to acknowledge it. */
  readonly needsAcknowledgement: boolean;
}

/** Until when an alarm is shelved. */
export interface Shelf {
  readonly end: number;
  readonly isOneShot: boolean;
}

/** Without acknowledgement B counts as C, D as A, E as F. */
const acknowledged: readonly Beneath[] = [0, 2, 2, 0, 5, 5];

/** The state after an event at a time of the samples; undefined when the event does not happen in this state. */
export function transition(
  state: AlarmState,
  event: AlarmEvent,
  rules: Rules,
  time: number,
  shelf?: Shelf,
): AlarmState | undefined {
  const flagRow = flagRows.find((row) => row.event === event);
  return flagRow === undefined
    ? stateAfter(state, event, rules, time)
    : flagAfter(state, flagRow, time, shelf);
}

function stateAfter(
  state: AlarmState,
  event: AlarmEvent,
  rules: Rules,
  time: number,
): AlarmState | undefined {
  const isCommand = event === 'acknowledge' || event === 'reset';
  if (isCommand && state.flags !== 0) return undefined;
  const row = stateRows.find((candidate) => fits(candidate, state.beneath, event, rules));
  if (row === undefined) return undefined;
  const beneath = rules.needsAcknowledgement ? row.to : acknowledged[row.to]!;
  const occurrence = state.occurrence + (row.begins === true ? 1 : 0);
  const after = { ...state, beneath, occurrence, since: time };
  return event === 'inactive' && state.isOneShot ? withoutShelf(after) : after;
}

function fits(row: StateRow, from: Beneath, event: AlarmEvent, { isLatching }: Rules): boolean {
  return (
    row.from === from && row.event === event && (row.latching === undefined || row.latching === isLatching)
  );
}

function flagAfter(
  state: AlarmState,
  { event, flag, isSet, unless }: FlagRow,
  time: number,
  shelf: Shelf | undefined,
): AlarmState | undefined {
  const has = (state.flags & flag) !== 0;
  if (has === isSet || (state.flags & unless) !== 0) return undefined;
  if (event === 'unshelve') return withoutShelf({ ...state, since: time });
  const after = { ...state, flags: isSet ? state.flags | flag : state.flags & ~flag, since: time };
  return shelf === undefined ? after : { ...after, shelfEnd: shelf.end, isOneShot: shelf.isOneShot };
}

function withoutShelf(state: AlarmState): AlarmState {
  return { ...state, flags: state.flags & ~Flag.SHELVED, shelfEnd: 0, isOneShot: false };
}

/** Why a command does not happen in a state. */
export function refusal(state: AlarmState, command: AlarmEvent): string {
  const shown = shownOf(state);
  const is = `The alarm is ${nameOf(shown)}`;
  switch (command) {
    case 'unshelve':
      return `${is}: there is no shelf to end.`;
    case 'in service':
      return `${is}: it was not taken out of service.`;
    case 'out of service':
      return 'The alarm is out of service already.';
    case 'shelve':
      return shown === Shown.SHELVED
        ? 'The alarm is shelved already: unshelve it first.'
        : `${is}: it cannot be shelved as long as it is.`;
    case 'reset':
      return resetRefusal(shown, is);
    default:
      return state.flags === 0
        ? `${is}: there is nothing to acknowledge.`
        : `${is}: it cannot be acknowledged as long as it is.`;
  }
}

function resetRefusal(shown: Shown, is: string): string {
  switch (shown) {
    case Shown.UNACKNOWLEDGED:
    case Shown.ACKNOWLEDGED:
      return `${is} and its condition is still there: it can be reset once that has returned to normal.`;
    case Shown.LATCHED:
      return `${is}: acknowledge it first.`;
    case Shown.NORMAL:
    case Shown.RETURNED:
      return `${is}: there is nothing to reset.`;
    default:
      return `${is}: it cannot be reset as long as it is.`;
  }
}
