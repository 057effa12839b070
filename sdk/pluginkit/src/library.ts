import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest, Setting, SettingsSchema } from '@tagway/schemas';
import { compileSettings } from '@tagway/schemas/validate';

/** Names of platforms, one or a list, as npm takes them. */
export type Platforms = string | readonly string[];

/** The parts of a plugin's package.json that the kit looks at. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly author?: unknown;
  readonly repository?: unknown;
  readonly keywords?: readonly string[];
  readonly os?: Platforms;
  readonly cpu?: Platforms;
  readonly libc?: Platforms;
  readonly publishConfig?: { readonly tag?: string; readonly provenance?: boolean };
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Read by this kit alone; the packed package.json has another member of this name. */
  readonly tagway?: {
    /** Packages that stay out of the bundle and travel beside it: native modules and what needs them. */
    readonly external?: readonly string[];
    /** Optional packages that the plugin does without. */
    readonly without?: readonly string[];
  };
}

/** A plugin's folder as its author has it. */
export interface Library {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly schema: object;
  readonly packageJson: PackageJson;
}

/** Reads the three files that describe a library; they may say anything. Throws when one is missing or is not JSON. */
export function readLibrary(folder: URL | string): Library {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const manifest = readJson(path, 'plugin.json') as Manifest;
  return {
    folder: path,
    manifest,
    schema: readJson(path, manifest.settings) as object,
    packageJson: readJson(path, 'package.json') as PackageJson,
  };
}

/** Set by `pluginkit test`: the tests run what the build has made, which is what will be installed. */
export const bundleVariable = 'TAGWAY_TEST_BUNDLE';

/** The module that tests load: the source while the author works, if there is one, and otherwise the bundle. */
export function moduleUnderTest({ folder, manifest }: Library): string {
  const source = join(folder, 'src', 'index.ts');
  return process.env[bundleVariable] === undefined && existsSync(source)
    ? source
    : join(folder, manifest.main);
}

/** Settings as the host passes them to a plugin, defaults filled in. Throws when the schema refuses them. */
export function settingsOf({ schema }: Library, params: object): Record<string, unknown> {
  const result = compileSettings(schema)(params);
  if ('message' in result) throw new Error(`The settings do not fit settings.schema.json: ${result.message}`);
  return result.settings;
}

function readJson(folder: string, file: string): unknown {
  const text = readFileSync(join(folder, file), 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${join(folder, file)} is not JSON.`, { cause });
  }
}

/** The steps of a connection test that some setting of a library says it may fail. */
export function stepsOfSettings(library: Library): Set<string> {
  const { properties, allOf = [] } = library.schema as SettingsSchema;
  const settings = [properties, ...allOf.map(({ then }) => then.properties ?? {})].flatMap(
    (named) => Object.values(named) as Partial<Setting>[],
  );
  return new Set(settings.flatMap((setting) => setting['x-steps'] ?? []));
}
