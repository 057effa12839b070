/** What the tests of drivers share. */
export { Cable, hasSocat, onPort } from './cable.ts';
export { type Packet } from './capture.ts';
export { contextFor, definitionOf, sequences, statesOf, turns, type Given, type Record } from './context.ts';
export { dialIn, freePort } from './dial-in.ts';
export { FrameServer, type FrameServerOptions, type Script } from './frame-server.ts';
export { expectRecovery, feed, madness } from './hostile.ts';
export { Library } from './library.ts';
export * from './link-cases.ts';
export { Plant, plantWith, startPlant, started, type Peer } from './plant.ts';
export { pointsOf, pointsWith } from './points.ts';
export { mutate, randomOf } from './random.ts';
export { callOf, read, ReadingLog, readings, type Reading } from './readings.ts';
export { Run } from './run.ts';
export { checkedSettings, settingsOf } from './settings.ts';
export { Taken } from './taken.ts';
export { Dissection, hasTshark, withTshark } from './tshark.ts';
export { until } from './until.ts';
export { write, written, writesOf } from './writes.ts';
