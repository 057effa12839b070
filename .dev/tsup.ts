// How every package is built: one place for what they share.
import type { Options } from 'tsup';

/**
 * A source with a single character beyond Latin-1 takes two bytes for each of them in memory, for as long as a process runs. In what
 * is built only comments have such characters: elsewhere they are escaped.
 */
function latinComments(): NonNullable<Options['plugins']>[number] {
  return {
    name: 'latin-comments',
    renderChunk: (code, { map }) => ({ code: code.replace(/[^\0-\xff]/g, '?'), map: map ?? null }),
  };
}

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
  plugins: [latinComments()],
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
