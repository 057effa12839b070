export {
  alarmCauses,
  alarmPriorities,
  alarmStates,
  Attribute,
  DataType,
  dataTypeName,
  ErrorCode,
  errorMeaning,
  formatReference,
  inputsOf,
  integerRange,
  isInIntegerRange,
  LinkState,
  numberSize,
  parseReference,
  referencesIn,
  RunningState,
  shownAlarm,
} from '@tagway/schemas';
export type { AlarmCause, AlarmPriority, AlarmState, FoundReference, Reference, Role } from '@tagway/schemas';
export { alarmMembers } from './alarm.ts';
export type * from './alarm.ts';
export { app } from './app.ts';
export type * from './app.ts';
export type * from './context.ts';
export { driver } from './driver.ts';
export type * from './driver.ts';
export { Fault, isFault } from './fault.ts';
export type { FaultOptions } from './fault.ts';
export type * from './frames.ts';
export type * from './history.ts';
export type * from './inputs.ts';
export type * from './messages.ts';
export type * from './peers.ts';
export type * from './point.ts';
export { Quality } from './quality.ts';
export type * from './results.ts';
export { Rows, rowsOf } from './rows.ts';
export type { Row, RowsOptions } from './rows.ts';
export { Store } from './sample.ts';
export type { Column, Layout, Reasons, Sample, TagInfo } from './sample.ts';

export type { Value } from './value.ts';
