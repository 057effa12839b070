import { defineConfig } from 'tsup';
import { plugin } from '../../.dev/tsup.ts';

/** Parts of the MQTT client that this plugin does not need as they are, and what stands in their place. */
const instead: Record<string, string> = {
  // Copies of what Node has, for browsers and old versions.
  'readable-stream': `module.exports = require('node:stream');`,
  'worker-timers': `module.exports = { setInterval, clearInterval };`,
  // The client copies every message of QoS 1 and 2 for its store, payload and all; its store keeps nothing here.
  'rfdc/default': `module.exports = (packet) => ({ ...packet });`,
};

export default defineConfig(
  plugin({
    esbuildPlugins: [
      {
        name: 'instead',
        setup(build) {
          const filter = new RegExp(`^(?:${Object.keys(instead).join('|')})$`);
          build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'instead' }));
          build.onLoad({ filter: /./, namespace: 'instead' }, ({ path }) => ({
            contents: instead[path] ?? '',
          }));
        },
      },
    ],
  }),
);
