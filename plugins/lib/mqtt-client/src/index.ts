export { LimitedLog } from '@tagway/store/log';
export type { ShownMessage } from '@tagway/store/messages';
export { openCache } from './offline-cache.ts';
export { BrokerApp } from './broker-app.ts';
export type { Broker, Will } from './broker.ts';
export type { Connection, OnMessage } from './connection.ts';
export { type BrokerClient, BrokerLink } from './broker-link.ts';
export { asQueued, type Encode, type Outgoing, Sender } from './sender.ts';
export { sendTail, tailClientId } from './tail.ts';
export { testClientId, tryBroker, tryDial } from './try-broker.ts';
export {
  brokerOf,
  type BrokerSettings,
  cacheInterval,
  cacheOn,
  checkBrokerSettings,
  diskLimit,
  memoryLimit,
} from './settings.ts';
