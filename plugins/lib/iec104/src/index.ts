export { type Command, commandAt, isCommandType } from './commands.ts';
export { descriptorOf, writeElement } from './element-writer.ts';
export {
  bareNormalized,
  CounterBit,
  elementOf,
  type Format,
  formatOf,
  isMonitored,
  Kind,
  normalizedScale,
  QualityBit,
  transientBit,
  valueOf,
} from './elements.ts';
export {
  asduHeaderSize,
  asduOf,
  Cause,
  CauseBit,
  causeMask,
  CommandType,
  Control,
  frameLength,
  globalAddress,
  headerSize,
  informationFrame,
  mostAsdu,
  mostFrame,
  supervisoryFrame,
  SystemType,
  timedCommandOffset,
  unnumberedFrame,
} from './protocol.ts';
export { type FrameSink, type Limits, Session, type SessionEvents } from './session.ts';
export { isTimeInvalid, readTime, timeOf, timeSize } from './time.ts';
export { UnitWriter } from './unit-writer.ts';
