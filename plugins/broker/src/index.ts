export { openCache } from './cache.ts';
export { ownClientId } from './client-id.ts';
export type { Broker, Connection, OnMessage, Will } from './connection.ts';
export { Link, type Session } from './link.ts';
export { othersSince, RateLimit } from './rate-limit.ts';
export { asItIs, type Encode, type Outgoing, Sender } from './sender.ts';
export { sendTail, tailOf } from './tail.ts';
export {
  brokerOf,
  type BrokerSettings,
  cacheInterval,
  cacheOn,
  checkBrokerSettings,
  diskLimit,
  memoryLimit,
} from './settings.ts';
