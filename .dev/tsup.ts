// How every package is built: one place for what they share.
import type { Options } from 'tsup';

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

/** A package that is installed together with its npm dependencies, which therefore stay imports. */
export const library = (entry: Record<string, string>, more: Options = {}): Options => ({
  ...shared,
  entry,
  ...more,
});

/**
 * A plugin travels as a single file without node_modules, so its npm dependencies are bundled too. Many of those are
 * CommonJS and call `require` for Node's own modules, which an ES module lacks unless it is made.
 */
export const plugin = (more: Options = {}): Options => ({
  ...shared,
  entry: { index: 'src/index.ts' },
  noExternal: [/./],
  splitting: false,
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  ...more,
});
