import { defineConfig } from 'tsup';
import { instead, plugin } from '../../.dev/tsup.ts';

const light = instead({
  // A check of options, which the settings of the node have passed already; its rules would be compiled at every start.
  'ajv/dist/2020.js': `exports.Ajv2020 = class { addKeyword() { return this; } compile() { return () => true; } };`,
  // Registries of schemas, which the app does not use.
  ajv: `exports.Ajv = class {};`,
  'ajv-draft-04': `module.exports = {};`,
  'ajv/dist/refs/json-schema-draft-06.json': `module.exports = {};`,
  avsc: `module.exports = {};`,
});

/** The codecs with their WebAssembly in the module itself, in the place of those that read a file beside it. */
const embedded: typeof light = {
  name: 'embedded codecs',
  setup(build) {
    build.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, ({ importer, resolveDir }) =>
      build.resolve('@platformatic/wasm-utils/bundled', { importer, resolveDir, kind: 'import-statement' }),
    );
  },
};

export default defineConfig(plugin({ esbuildPlugins: [light, embedded] }));
