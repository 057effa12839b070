/** What the tests of drivers share. */
export { type Packet } from './capture.ts';
export { contextFor, definitionOf, type Record } from './context.ts';
export { dialIn, freePort } from './dial-in.ts';
export { FrameServer, type FrameServerOptions, type Script } from './frame-server.ts';
export { feed, madness } from './hostile.ts';
export { compareWithCheck } from './patterns.ts';
export { Plant, startPlant, type Peer } from './plant.ts';
export { pointsOf } from './points.ts';
export { mutate, randomOf } from './random.ts';
export { callOf, read, readings, type Reading } from './readings.ts';
export { settingsOf } from './settings.ts';
export { Dissection, hasTshark } from './tshark.ts';
export { until } from './until.ts';
export { write, written } from './writes.ts';
