import { instead } from '../../../.dev/tsup.ts';

/** Parts of the MQTT client that its users here do not need as they are, and what stands in their place. */
export const lightClient = instead({
  // Copies of what Node has, for browsers and old versions.
  'readable-stream': `module.exports = require('node:stream');`,
  'worker-timers': `module.exports = { setInterval, clearInterval };`,
  // The client copies every message of QoS 1 and 2 for its store, payload and all; its store keeps nothing here.
  'rfdc/default': `module.exports = (packet) => ({ ...packet });`,
});
