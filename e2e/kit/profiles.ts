import type { Profile } from '@tagway/schemas';
import { type Entry, tarball } from './archives.ts';
import type { Client } from './client.ts';
import type { Package } from './packages.ts';

/** A profile of a made-up meter on Modbus, with what a test wants otherwise. */
export function meterProfile(changes: Partial<Profile> = {}): Profile {
  return {
    format: 1,
    id: 'acme-meter',
    version: '1.0.0',
    name: 'Acme meter',
    description: { en: 'A meter of the tests.', zh: '测试电表。' },
    devices: ['M1'],
    document: { title: 'The manual of the tests' },
    plugins: [
      { id: 'modbus-tcp', settings: { connection_mode: 0, port: 502, timeout: 1500 }, ask: ['host', 'port'] },
    ],
    parameters: [{ name: 'unit', title: 'Unit', minimum: 1, maximum: 247, default: 1 }],
    groups: [
      {
        name: 'fast',
        interval: 200,
        tags: [
          { name: 'voltage', address: '{unit}!400001', type: 'UINT16', decimal: 0.1, unit: 'V' },
          { name: 'current', address: '{unit}!400002', type: 'INT16', decimal: 0.01, unit: 'A' },
          { name: 'power', address: '{unit}!400003#LL', type: 'INT32', unit: 'W' },
        ],
      },
      {
        name: 'slow',
        interval: 5000,
        tags: [{ name: 'energy', address: '{unit}!400005#LL', type: 'UINT32', unit: 'kWh' }],
      },
    ],
    ...changes,
  };
}

/** The archive of a profile as npm packs it; `files` come beside it or take the place of its own. */
export function profileArchive(
  profile: Profile,
  files: Readonly<Record<string, string | Buffer>> = {},
): Buffer {
  const all: Record<string, string | Buffer> = {
    'package.json': JSON.stringify({
      name: `tagway-profile-${profile.id}`,
      version: profile.version,
      keywords: ['tagway-profile'],
      tagway: { profile: profile.id, format: 1, plugins: profile.plugins.map(({ id }) => id) },
    }),
    'profile.json': JSON.stringify(profile),
    'README.md': `# ${profile.name}\n\nOf the tests.\n`,
    ...files,
  };
  const entries: Entry[] = Object.entries(all).map(([name, content]) => ({
    path: `package/${name}`,
    content,
  }));
  return tarball(entries);
}

/** A package of a profile as a registry has it; `said` is what the registry says otherwise than the archive. */
export function profilePackage(
  profile: Profile,
  name: string,
  files: Readonly<Record<string, string | Buffer>> = {},
  said: Readonly<Record<string, unknown>> = {},
): Package {
  const packageJson = {
    name,
    version: profile.version,
    description: 'A meter of the tests.',
    keywords: ['tagway-profile'],
    tagway: { profile: profile.id, format: 1, plugins: profile.plugins.map(({ id }) => id) },
  };
  const archive = profileArchive(profile, { 'package.json': JSON.stringify(packageJson), ...files });
  return { name, version: profile.version, packageJson: { ...packageJson, ...said }, archive, files: [] };
}

/** A picture of one pixel in PNG. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTmAWQAAAABJRU5ErkJggg==',
  'base64',
);

/** Installs a profile from its profile.json alone. */
export async function installProfile(client: Client, profile: Profile): Promise<void> {
  await client.ok('POST', '/profile', { file: Buffer.from(JSON.stringify(profile)).toString('base64') });
}
