import { createHmac } from 'node:crypto';

/** Hexadecimal digits of an id: with a short prefix they fit where MQTT 3.1.1 promises room, 23 characters. */
const digits = 16;

/**
 * Ids that nodes have at both gateways of a pair, and no other node has: made with the secrets' key, which both gateways have, from the name of
 * the pair and the number of the node, which is the same at both.
 */
export function sharedIds(key: Uint8Array, pair: string): (node: number) => string {
  return (node) => createHmac('sha256', key).update(`node/${pair}/${node}`).digest('hex').slice(0, digits);
}
