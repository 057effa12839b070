/** What the tests of the apps share. */
export { Certificates } from './certificates.ts';
export { contextOf, type ContextRecord } from './context.ts';
export { deliverUntilEnd } from './deliver.ts';
export { killInTurns, turns } from './kill-turns.ts';
export { problemsBy, TestNode, settingsBy, type TestNodeOptions } from './test-node.ts';
export { layoutOf, sampleWith, type Tag } from './samples.ts';
