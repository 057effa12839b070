/** What the tests of drivers of word PLCs share. */
export { contextFor, definitionOf, pointsOf, type Record } from './context.ts';
export { dialIn, freePort } from './dial-in.ts';
export { FrameServer, type FrameServerOptions, type Script } from './frame-server.ts';
export { feed, madness } from './hostile.ts';
export { compareWithCheck } from './patterns.ts';
export { startPlant, type Plant } from './plant.ts';
export { mutate, randomOf } from './random.ts';
export { callOf, readings, until, written, type Reading } from './readings.ts';
export { serve } from './serve.ts';
export { SimulatedMemory } from './simulated-memory.ts';
export { hasTshark, malformedFrames, tsharkFields } from './tshark.ts';
