/** What the tests of the apps on a broker share. */
export * from '@tagway/store/test';
export * from './brokers.ts';
export { countingBroker } from './counting-broker.ts';
