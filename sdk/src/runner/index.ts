export { BackOff } from './back-off.ts';
export { deadlines } from './deadline.ts';
export { type RunnerClock, systemClock } from './clock.ts';
export { inlineRunner, type InlineRunner } from './inline.ts';
export { Line, type Form, type LineOptions } from './line.ts';
export * from './protocol.ts';
export { Requests } from './requests.ts';
export { isPolled, layoutOf, SampleBuilder } from './sample-builder.ts';
export { SampleOutlet, SampleQueue } from './sample-queue.ts';
