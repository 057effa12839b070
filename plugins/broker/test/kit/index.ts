/** What the tests of the apps on a broker share. */
export * from './brokers.ts';
export { countingBroker } from './counting-broker.ts';
export { Certificates } from './certificates.ts';
export { contextOf, type Noted } from './context.ts';
export { problemsBy, Run, settingsBy, type RunOptions } from './run.ts';
export { layoutOf, sampleWith, type Tag } from './samples.ts';
