import { type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveLimits, signatureFile } from '@tagway/schemas';
import { create as createTar } from 'tar';
import { problemsOfFiles, problemsOfModule } from './check.ts';
import { Failure, failOn } from './failure.ts';
import { type PackageJson, readLibrary } from './library.ts';
import { readKey, signatureOf } from './signing.ts';
import { filesIn, sizeIn, stage } from './stage.ts';

/** npm's date for files in archives: the same content gives the same bytes, whenever it is packed. */
const date = new Date('1985-10-26T08:15:00Z');

export interface PackOptions {
  /** Folder for the archive. Default: the plugin's own. */
  readonly out?: string;
  /** PEM file with an Ed25519 private key to sign with. */
  readonly key?: string;
  /** Where the signature is: beside the archive, as a gateway takes it with a file, or in the package, where it travels through registries. */
  readonly signed?: 'beside' | 'inside';
  /** Instead of the version in package.json. */
  readonly version?: string;
}

/** An archive, and the signature beside it. */
export interface Packed {
  readonly file: string;
  /** Bytes of the archive, and of what is in it. */
  readonly size: number;
  readonly unpacked: number;
  readonly signature?: string;
}

/**
 * Packs a built plugin into one archive that needs nothing else: staged in a folder of its own and loaded there once. With a key, the base64
 * of an Ed25519 signature over the archive lies beside it in `<archive>.sig`, or one over the other files is in its signature.json.
 */
export async function pack(folder: string, options: PackOptions = {}): Promise<Packed> {
  const { out = folder, key, version, signed = 'beside' } = options;
  const library = readLibrary(folder);
  failOn(problemsOfFiles(library));
  const signer = key === undefined ? undefined : readKey(key);
  const work = mkdtempSync(join(tmpdir(), 'tagway-pack-'));
  try {
    const root = join(work, 'package');
    mkdirSync(root);
    stage(library, root, version);
    if (signer !== undefined && signed === 'inside') signInside(root, signer);
    const unpacked = sizeIn(root);
    if (unpacked > archiveLimits.unpacked)
      throw new Failure(
        `The plugin takes more than ${archiveLimits.unpacked >> 20} MB, which a gateway refuses.`,
      );
    failOn(await problemsOfModule(root, library.manifest));
    const name = `${library.manifest.id}-${version ?? library.packageJson.version ?? ''}.tgz`;
    mkdirSync(out, { recursive: true });
    const file = join(out, name);
    await createTar(
      { file, cwd: work, gzip: true, portable: true, mtime: date },
      filesIn(root).map((path) => `package/${path.replaceAll('\\', '/')}`),
    );
    const { size } = statSync(file);
    if (size > archiveLimits.packed)
      throw new Failure(`${name} has more than ${archiveLimits.packed / 1e6} MB, which a gateway refuses.`);
    if (signer === undefined || signed === 'inside') return { file, size, unpacked };
    const signature = sign(null, readFileSync(file), signer).toString('base64');
    writeFileSync(`${file}.sig`, `${signature}\n`);
    return { file, size, unpacked, signature };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes signature.json over the files of a package that are there. */
function signInside(root: string, key: KeyObject): void {
  const { name = '', version = '' } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as PackageJson;
  const files = new Map(
    filesIn(root).map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path))]),
  );
  const signature = signatureOf({ name, version, files }, key);
  writeFileSync(join(root, signatureFile), `${JSON.stringify(signature, undefined, 2)}\n`);
}
