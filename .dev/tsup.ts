// How every package is built: one place for what they share.
import { copyFileSync, mkdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * The text with an escape for each character beyond Latin-1: a source with a single one of them takes two bytes for every character in
 * memory, for as long as a process runs. esbuild escapes them itself but in comments and in regular expressions, where an escape means
 * the same.
 */
export const inLatin = (code: string): string =>
  code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const shared: Options = {
  format: 'esm',
  target: 'node22',
  platform: 'node',
  sourcemap: true,
  clean: true,
  // node:sqlite exists under that name alone.
  removeNodeProtocol: false,
  // Our own packages are bundled, from their sources: nothing has to be built before anything else.
  noExternal: [/^@tagway\//],
  esbuildOptions(options) {
    options.conditions = ['source'];
  },
  plugins: [
    { name: 'in-latin', renderChunk: (code, { map }) => ({ code: inLatin(code), map: map ?? null }) },
  ],
};

/** A package for authors of plugins, which is installed together with its npm dependencies: these stay imports. */
export const library = (entry: Record<string, string>, more: Options = {}): Options => ({
  ...shared,
  entry,
  ...more,
});

/** A plugin of esbuild that puts other text in the place of modules, by the names that they are imported by. */
export const instead = (modules: Readonly<Record<string, string>>): EsbuildPlugin => ({
  name: `instead of ${Object.keys(modules).join(', ')}`,
  setup(build) {
    const filter = new RegExp(`^(?:${Object.keys(modules).join('|')})$`);
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'instead' }));
    build.onLoad({ filter, namespace: 'instead' }, ({ path }) => ({ contents: modules[path] ?? '' }));
  },
});

/** A plugin of esbuild that copies a file beside the bundle, which uses it while it runs. */
export const beside = (file: string): EsbuildPlugin => ({
  name: `beside ${file}`,
  setup(build) {
    build.onEnd(() => {
      const { outdir = '' } = build.initialOptions;
      mkdirSync(outdir, { recursive: true });
      copyFileSync(file, join(outdir, basename(file)));
    });
  },
});

/**
 * An import of one of Node's own modules evaluates every export of it, among them some for which Node loads a good deal more: a whole HTTP
 * client for node:http, which is 13 MB of resident memory, Web Crypto for node:crypto, which is 1 MB. Asking for the module evaluates
 * nothing, and only those of its members that the bundle uses are then asked for. By `require`, which a Node knows that is too old for
 * the rest and is to say so.
 */
const askForModules: EsbuildPlugin = {
  name: "ask for Node's modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'asked' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'asked' }, ({ path }) => ({ contents: askFor(path) }));
  },
};

function askFor(module: string): string {
  const names = Object.keys(process.getBuiltinModule(module) ?? {}).filter((name) => name !== 'default');
  return `const asked = require('${module}');
const ask = (name) => asked[name];
export default asked;
${names.map((name) => `export const ${name} = /* @__PURE__ */ ask('${name}');`).join('\n')}`;
}

/**
 * What runs without node_modules: its npm dependencies are bundled too, which also starts faster than hundreds of files. Many of those are
 * CommonJS and call `require` for Node's own modules, which an ES module lacks unless it is made.
 */
export const program = (entry: Record<string, string>, more: Options = {}): Options => ({
  ...shared,
  entry,
  noExternal: [/./],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  ...more,
  esbuildPlugins: [askForModules, ...(more.esbuildPlugins ?? [])],
});

/** A plugin of the gateway, which travels as a single file. */
export const plugin = (more: Options = {}): Options =>
  program({ index: 'src/index.ts' }, { splitting: false, ...more });
