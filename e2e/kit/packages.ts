import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, type LibraryOptions, manifestOf, tarball, unruly, unrulyFolder } from './archives.ts';

/** The package of a plugin, as pluginkit packs it for a registry. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly packageJson: Readonly<Record<string, unknown>>;
  readonly archive: Buffer;
  /** What is in the archive. */
  readonly files: readonly Entry[];
}

export interface PackageOptions extends LibraryOptions {
  readonly version?: string;
  /** Members of package.json that are to be different, in the archive and in the registry. */
  readonly packageJson?: Readonly<Record<string, unknown>>;
  /** Members of its member `tagway` that are to be different. */
  readonly tagway?: Readonly<Record<string, unknown>>;
  readonly readme?: string;
  /** Entries after the library's own. */
  readonly more?: readonly Entry[];
}

/** The package of a copy of the unruly driver, whose plugin has this id. */
export function packageOf(name: string, id: string, options: PackageOptions = {}): Package {
  const { version = '1.0.0', module = unruly(), readme = `# ${id}\n`, more = [] } = options;
  const { kind, sdk } = JSON.parse(manifestOf(id, options)) as {
    readonly kind: string;
    readonly sdk: string;
  };
  const packageJson = {
    name,
    version,
    type: 'module',
    description: `Reads the ${id}.`,
    keywords: ['tagway-plugin'],
    tagway: { id, name: id, kind, sdk, native: false, ...options.tagway },
    ...options.packageJson,
  };
  const files: Entry[] = [
    { path: 'package/package.json', content: JSON.stringify(packageJson) },
    { path: 'package/plugin.json', content: manifestOf(id, options) },
    {
      path: 'package/settings.schema.json',
      content: readFileSync(join(unrulyFolder, 'settings.schema.json'), 'utf8'),
    },
    { path: 'package/index.js', content: module },
    { path: 'package/misdeeds.js', content: readFileSync(join(unrulyFolder, 'misdeeds.js'), 'utf8') },
    { path: 'package/README.md', content: readme },
    ...more,
  ];
  return { name, version, packageJson, archive: tarball(files), files };
}

export function sha512(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

/** Puts a package into a registry, as `npm publish` does. */
export async function publish(
  registry: { readonly url: string },
  { name, version, packageJson, archive }: Package,
  token = 'anybody',
): Promise<void> {
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: sha512(archive),
    shasum: createHash('sha1').update(archive).digest('hex'),
    tarball: `${registry.url}${name}/-/${file}`,
  };
  const reply = await fetch(`${registry.url}${name.replace('/', '%2f')}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      _id: name,
      name,
      description: packageJson['description'],
      'dist-tags': { latest: version },
      versions: { [version]: { ...packageJson, _id: `${name}@${version}`, dist } },
      _attachments: {
        [file]: {
          content_type: 'application/octet-stream',
          data: archive.toString('base64'),
          length: archive.length,
        },
      },
    }),
  });
  if (!reply.ok) throw new Error(`The registry does not take ${name}: ${reply.status} ${await reply.text()}`);
}
