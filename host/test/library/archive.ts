import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sdkVersion } from '@tagway/sdk/internal';

/** A gzipped archive of files below `package/`, made by the system's tar in one of its formats. */
export async function archiveOf(files: Readonly<Record<string, string>>, format = 'pax'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-archive-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder, 'package', name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
    }
    execFileSync('tar', ['-czf', 'archive.tgz', '--format', format, 'package'], { cwd: folder });
    return await readFile(join(folder, 'archive.tgz'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The archive of a driver `acme` that needs a port. */
export function acme(version: string, manifest: object = {}, settings: object = {}): Promise<Buffer> {
  const plugin = {
    id: 'acme',
    name: 'Acme',
    kind: 'driver',
    sdk: `^${sdkVersion}`,
    main: 'index.js',
    settings: 'settings.schema.json',
    description: { en: 'A driver.' },
    tags: { groupInterval: 1000, addresses: [{ type: 3, pattern: '.*' }] },
    ...manifest,
  };
  const port = { type: 'integer', title: 'Port', description: 'Port of the device.', ...settings };
  return archiveOf({
    'package.json': JSON.stringify({ version }),
    'plugin.json': JSON.stringify(plugin),
    'settings.schema.json': JSON.stringify({ type: 'object', properties: { port }, required: ['port'] }),
    'index.js': '',
  });
}
