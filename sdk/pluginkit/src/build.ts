import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as bundle, type Options } from 'tsup';
import { problemsOfFiles } from './check.ts';
import { failOn } from './failure.ts';
import { type Library, readLibrary } from './library.ts';
import { packageOf } from './native.ts';
import { settingsTypes } from './settings-types.ts';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

export interface BuildOptions {
  /** Puts a source map into the bundle that leads to the sources in this folder, wherever the bundle is installed. */
  readonly debug?: boolean;
}

/**
 * Writes src/settings.ts from the settings schema, and bundles src/index.ts with everything it imports into the manifest's
 * `main`, except for what package.json keeps out of the bundle. Throws a failure for imports that would be missing at run time.
 */
export async function build(folder: string, { debug = false }: BuildOptions = {}): Promise<void> {
  const library = readLibrary(folder);
  failOn(problemsOfFiles(library));
  const { manifest, packageJson } = library;
  await writeTypes(library);

  const { external = [], without = [] } = packageJson.tagway ?? {};
  const guard = new Guard([...external, ...without]);
  const main = basename(manifest.main, extname(manifest.main));
  await bundle({
    config: false,
    silent: true,
    entry: { [main]: join(folder, 'src', 'index.ts') },
    outDir: join(folder, dirname(manifest.main)),
    tsconfig: join(folder, 'tsconfig.json'),
    format: 'esm',
    target: 'node22',
    platform: 'node',
    sourcemap: debug ? 'inline' : true,
    esbuildOptions(options) {
      if (debug) options.sourceRoot = pathToFileURL(join(folder, dirname(manifest.main), '/')).href;
    },
    clean: true,
    splitting: false,
    removeNodeProtocol: false,
    noExternal: [/./],
    // Many dependencies are CommonJS and call `require` for Node's own modules, which an ES module lacks unless it is made.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    esbuildPlugins: [guard.plugin],
  });
  failOn([...guard.problems]);
}

/** Writes src/settings.ts, unless it is there as it would be written. */
export async function writeTypes({ folder, schema }: Library): Promise<void> {
  const file = join(folder, 'src', 'settings.ts');
  const types = await settingsTypes(schema);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== types) writeFileSync(file, types);
}

/** Checks every import of a bundle for those that a bundler drops or breaks without an error. */
class Guard {
  readonly problems = new Set<string>();
  readonly #outside: readonly string[];

  /** The packages that stay imports. */
  constructor(outside: readonly string[]) {
    this.#outside = outside;
  }

  readonly plugin: Plugin = {
    name: 'tagway',
    setup: (build) => {
      // `build.resolve` calls this function again for the same import, which is then left to esbuild.
      const seen = Symbol('seen');
      build.onResolve({ filter: /^[^./]|\.node$/ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === seen || isBuiltin(path)) return undefined;
        if (this.#outside.includes(packageName(path))) return { path, external: true };
        const found = await build.resolve(path, { ...from, pluginData: seen });
        const importer = packageOf(from.importer)?.name ?? from.importer;
        if (found.errors.length > 0) {
          this.problems.add(
            `${importer} imports "${path}", which is not installed. Install it, or name it under "tagway": {"without": […]} ` +
              'in package.json if the plugin does without it.',
          );
          return { path, external: true };
        }
        const owner = packageOf(found.path);
        if (found.path.endsWith('.node') || owner?.isNative === true) {
          this.problems.add(
            `${importer} imports "${path}", a native module, which cannot be bundled. Name it, or the dependency of yours that ` +
              'needs it, under "tagway": {"external": […]} in package.json; it then travels beside the bundle.',
          );
          return { path, external: true };
        }
        return undefined;
      });
    },
  };
}

/** The package of an import: `@a/b` of `@a/b/c`. */
function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
