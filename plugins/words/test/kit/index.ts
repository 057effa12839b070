/** What the tests of drivers of word PLCs share. */
export { contextFor, definitionOf, pointsOf, type Record } from './context.ts';
export { FrameServer, type FrameServerOptions, type Script } from './frame-server.ts';
export { serve } from './serve.ts';
export { SimulatedMemory } from './simulated-memory.ts';
export { mutate, randomOf } from './random.ts';
export { callOf, readings, until, written, type Reading } from './readings.ts';
export { hasTshark, malformedFrames, tsharkFields, type Conversation } from './tshark.ts';
