/** Parts of the MQTT client that its users here do not need as they are, and what stands in their place. */
const instead: Record<string, string> = {
  // Copies of what Node has, for browsers and old versions.
  'readable-stream': `module.exports = require('node:stream');`,
  'worker-timers': `module.exports = { setInterval, clearInterval };`,
  // The client copies every message of QoS 1 and 2 for its store, payload and all; its store keeps nothing here.
  'rfdc/default': `module.exports = (packet) => ({ ...packet });`,
};

/** What of esbuild's builder is used here. */
interface Build {
  onResolve(of: { filter: RegExp }, call: (found: { path: string }) => object): void;
  onLoad(of: { filter: RegExp; namespace: string }, call: (found: { path: string }) => object): void;
}

/** A plugin of esbuild that bundles the MQTT client without what it does not need. */
export const lightClient = {
  name: 'light-mqtt-client',
  setup(build: Build): void {
    const filter = new RegExp(`^(?:${Object.keys(instead).join('|')})$`);
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'instead' }));
    build.onLoad({ filter: /./, namespace: 'instead' }, ({ path }) => ({ contents: instead[path] ?? '' }));
  },
};
