import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import {
  makeProject,
  type ProjectFiles,
  type ProjectKind,
  ProjectNameError,
} from '@tagway/pluginkit/project';

/** A package of ours in the kit. */
interface Carried {
  readonly name: string;
  readonly version: string;
  /** Name of its archive. */
  readonly file: string;
  /** Every project depends on it; otherwise it is there for those who want it. */
  readonly needed: boolean;
}

/** Where the build has put the kit, seen from the built command and from this source. */
const carriedKits = ['./kit/', '../../dist/kit/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The date of files in archives, so that the same project is the same bytes. */
const date = new Date('1985-10-26T08:15:00Z');

/**
 * The kit for authors of plugins that this gateway carries: projects made with it hold our packages as archives in `vendor/`, so that
 * they need no registry that has them.
 */
export class AuthorKit {
  readonly #folders: readonly string[];

  /** `folders`: the first one that has a kit is taken. */
  constructor(folders: readonly string[] = carriedKits) {
    this.#folders = folders;
  }

  /** The files of a new project. Rejects with PARAM_INVALID for a name that cannot be one, FILE_NOT_FOUND without a kit. */
  async project(kind: ProjectKind, id: string): Promise<ProjectFiles> {
    const { folder, carried } = await this.#carried();
    const sdk = carried.find(({ name }) => name === '@tagway/sdk')?.version ?? '';
    const needed = carried.filter((one) => one.needed);
    const packages = Object.fromEntries(needed.map(({ name, file }) => [name, `file:vendor/${file}`]));
    try {
      const template = await filesIn(join(folder, 'templates', kind));
      const files = makeProject({ kind, id, template, sdk, packages });
      for (const { file } of carried)
        files.set(`vendor/${file}`, await readFile(join(folder, 'packages', file)));
      for (const [page, text] of await filesIn(join(folder, 'guide'))) files.set(`docs/${page}`, text);
      const start = kind === 'app' ? 'write-an-app.md' : 'write-a-driver.md';
      const readme = Buffer.from(files.get('README.md') ?? []).toString();
      files.set(
        'README.md',
        Buffer.from(`${readme}\nThe guide is in \`docs/\`; begin with [${start}](docs/${start}).\n`),
      );
      return files;
    } catch (error) {
      if (error instanceof ProjectNameError) throw new Fault(ErrorCode.PARAM_INVALID, error.message);
      throw error;
    }
  }

  /** The same as a gzipped tar archive with one folder, which has the name of the plugin. Rejects as `project` does. */
  async archive(kind: ProjectKind, id: string): Promise<Buffer> {
    const files = await this.project(kind, id);
    const archive = pack();
    for (const [path, content] of files)
      archive.entry({ name: `${id}/${path}`, mtime: date, mode: 0o644 }, Buffer.from(content));
    archive.finalize();
    const parts: Buffer[] = [];
    for await (const part of archive) parts.push(part);
    return gzipSync(Buffer.concat(parts));
  }

  async #carried(): Promise<{ folder: string; carried: readonly Carried[] }> {
    for (const folder of this.#folders) {
      const text = await readFile(join(folder, 'packages.json'), 'utf8').catch(() => undefined);
      if (text !== undefined) return { folder, carried: JSON.parse(text) as Carried[] };
    }
    throw new Fault(
      ErrorCode.FILE_NOT_FOUND,
      'This gateway carries no kit for authors of plugins: it was not built as a whole. Run "npm run build" in its sources.',
    );
  }
}

async function filesIn(folder: string): Promise<ProjectFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const files: ProjectFiles = new Map();
  for (const path of paths)
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path));
  return files;
}
