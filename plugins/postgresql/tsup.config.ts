import { defineConfig } from 'tsup';
import { instead, plugin } from '../../.dev/tsup.ts';

/** Parts of the client that a node does not need: a pool, a native binding, the file with passwords, a socket of Cloudflare. */
const oneConnection = instead({
  'pg-pool': `module.exports = class Pool {};`,
  'pg-native': `module.exports = undefined;`,
  pgpass: `module.exports = (_connection, done) => done(undefined);`,
  'pg-cloudflare': `module.exports = {};`,
});

export default defineConfig(plugin({ esbuildPlugins: [oneConnection] }));
