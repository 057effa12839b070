import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveLimits } from '@tagway/schemas';
import { create as createTar } from 'tar';
import { problemsOfFiles, problemsOfModule } from './check.ts';
import { Failure, failOn } from './failure.ts';
import { readLibrary } from './library.ts';
import { filesIn, sizeIn, stage } from './stage.ts';

/** npm's date for files in archives: the same content gives the same bytes, whenever it is packed. */
const date = new Date('1985-10-26T08:15:00Z');

export interface PackOptions {
  /** Folder for the archive. Default: the plugin's own. */
  readonly out?: string;
  /** PEM file with an Ed25519 private key to sign with. */
  readonly key?: string;
  /** Instead of the version in package.json. */
  readonly version?: string;
}

/** An archive, and the signature beside it. */
export interface Packed {
  readonly file: string;
  readonly signature?: string;
}

/**
 * Packs a built plugin into one archive that needs nothing else: staged in a folder of its own and loaded there once. With a key, the base64
 * of an Ed25519 signature over the archive lies beside it in `<archive>.sig`.
 */
export async function pack(folder: string, options: PackOptions = {}): Promise<Packed> {
  const { out = folder, key, version } = options;
  const library = readLibrary(folder);
  failOn(problemsOfFiles(library));
  const signer = key === undefined ? undefined : readKey(key);
  const work = mkdtempSync(join(tmpdir(), 'tagway-pack-'));
  try {
    const root = join(work, 'package');
    mkdirSync(root);
    stage(library, root, version);
    if (sizeIn(root) > archiveLimits.unpacked)
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
    if (statSync(file).size > archiveLimits.packed)
      throw new Failure(`${name} has more than ${archiveLimits.packed / 1e6} MB, which a gateway refuses.`);
    if (signer === undefined) return { file };
    const signature = sign(null, readFileSync(file), signer).toString('base64');
    writeFileSync(`${file}.sig`, `${signature}\n`);
    return { file, signature };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function readKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Failure(
      `The key in ${file} is not an Ed25519 key. Make one: openssl genpkey -algorithm ed25519`,
    );
  return key;
}
