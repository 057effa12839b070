import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The parts of a dependency's package.json that the kit looks at. */
export interface Dependency {
  /** Real path of its folder. */
  readonly folder: string;
  readonly name: string;
  readonly isNative: boolean;
  readonly dependencies: readonly string[];
  /** Packages that need not be there, such as those for other platforms. */
  readonly optional: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly gypfile?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages that find or build the binary of the package that depends on them. */
const loaders = [
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  'prebuild-install',
  'bindings',
  '@mapbox/node-pre-gyp',
];

/** The package that a file belongs to, if it belongs to one with a name. */
export function packageOf(file: string): Dependency | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      const dependency = readDependency(folder);
      if (dependency.name !== '') return dependency;
    }
  }
  return undefined;
}

/** The package that a module in a folder gets when it imports this name; Node looks in the same places. */
export function findPackage(name: string, from: string): Dependency | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return readDependency(realpathSync(found));
    if (folder === dirname(folder)) return undefined;
  }
}

function readDependency(folder: string): Dependency {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) => !optional.includes(name));
  const isNative =
    manifest.gypfile === true ||
    ['binding.gyp', 'prebuilds'].some((file) => existsSync(join(folder, file))) ||
    dependencies.some((name) => loaders.includes(name));
  return { folder, name: manifest.name ?? '', isNative, dependencies, optional };
}
