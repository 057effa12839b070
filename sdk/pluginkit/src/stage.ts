import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from './failure.ts';
import type { Library } from './library.ts';
import { keywordsOf, memberOf } from './package-member.ts';
import { type Dependency, findPackage } from './native.ts';

/** The members of package.json that are useful in a registry and after the installation. */
const kept = [
  'name',
  'version',
  'description',
  'license',
  'author',
  'homepage',
  'repository',
  'bugs',
  'type',
  'engines',
  'os',
  'cpu',
  'libc',
  'publishConfig',
];
const texts = /^(?:README|LICENSE|LICENCE|NOTICE|CHANGELOG)(?:\.\w+)?$/i;

/** Copies into a folder what a gateway needs of a built library, and nothing else. */
export function stage(library: Library, target: string, version = library.packageJson.version): void {
  const { folder, manifest, packageJson } = library;
  const outside = packageJson.tagway?.external ?? [];
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(packedPackage(library, version), undefined, 2)}\n`,
  );
  const parts = [
    'plugin.json',
    manifest.settings,
    dirname(manifest.main) === '.' ? manifest.main : dirname(manifest.main),
  ];
  for (const part of [...parts, ...readdirSync(folder).filter((name) => texts.test(name))]) {
    cpSync(join(folder, part), join(target, part), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  }
  const natives = outside
    .map((name) => required(name, folder))
    .flatMap((dependency) => carry(dependency, target, target));
  if (natives.some(({ isNative }) => isNative) && manifest.native !== true)
    throw new Failure('The plugin carries native modules, and plugin.json does not say "native": true.');
}

/** The package.json of the archive. What travels in node_modules is said to, so that nothing looks for it in a registry. */
function packedPackage({ manifest, packageJson }: Library, version: string | undefined): object {
  const own = Object.entries({ ...packageJson, version }).filter(([key]) => kept.includes(key));
  const outside = packageJson.tagway?.external ?? [];
  return {
    ...Object.fromEntries(own),
    keywords: keywordsOf(packageJson),
    tagway: memberOf(manifest, packageJson),
    ...(outside.length > 0 && {
      dependencies: pick(packageJson.dependencies, outside),
      bundleDependencies: outside,
    }),
  };
}

function pick(from: Readonly<Record<string, string>> | undefined, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => names.includes(name)));
}

function required(name: string, from: string): Dependency {
  const found = findPackage(name, from);
  if (found === undefined)
    throw new Failure(`The package ${name} is not installed, so it cannot travel with the plugin.`);
  return found;
}

/** Copies a package and all that it depends on; one that is there in another version goes below the package that needs it. */
function carry(dependency: Dependency, root: string, parent: string, found: Dependency[] = []): Dependency[] {
  const { name, folder } = dependency;
  if (found.some((other) => other.folder === folder)) return found;
  found.push(dependency);
  const isTaken = existsSync(join(root, 'node_modules', name));
  const target = join(isTaken ? parent : root, 'node_modules', name);
  cpSync(folder, target, {
    recursive: true,
    dereference: true,
    filter: (file) => basename(file) !== 'node_modules' && !file.endsWith('.map'),
  });
  if (dependency.isNative && !hasBinary(target, dependency))
    throw new Failure(
      `The native module ${name} has no prebuilt binary here; a gateway does not compile one.`,
    );
  for (const needed of dependency.dependencies) carry(required(needed, folder), root, target, found);
  for (const maybe of dependency.optional) {
    const present = findPackage(maybe, folder);
    if (present !== undefined) carry(present, root, target, found);
  }
  return found;
}

/** A binary lies in the package itself or in one of those for single platforms that it depends on. */
function hasBinary(folder: string, { optional, folder: source }: Dependency): boolean {
  const places = [folder, ...optional.flatMap((name) => findPackage(name, source)?.folder ?? [])];
  return places.some((place) => filesIn(place).some((file) => file.endsWith('.node')));
}

/** All files below a folder, as paths from it, in one order on every machine. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();
}

export const sizeIn = (folder: string): number =>
  filesIn(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
