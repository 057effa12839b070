import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceError } from '../source-error.ts';
import type { Commit } from './commit.ts';
import { type Ran, run } from './run.ts';

/**
 * Refuses a commit that none of the trusted keys has signed: `*.asc` and `*.gpg` of OpenPGP, `*.pub` of SSH, in a folder that no commit
 * can change. What cannot be verified is refused. Rejects with `SourceError`.
 */
export async function checkSignature({ id, signature }: Commit, trusted: string): Promise<void> {
  const refuse = (reason: string): never => {
    throw new SourceError(`The commit ${id.slice(0, 12)} ${reason}.`, { commit: id });
  };
  if (signature === undefined) return refuse('is not signed, and this gateway takes signed commits only');
  const isSsh = signature.text.startsWith('-----BEGIN SSH SIGNATURE-----');
  const isPgp = signature.text.startsWith('-----BEGIN PGP SIGNATURE-----');
  if (!isSsh && !isPgp) return refuse('is signed in a way that is neither of OpenPGP nor of SSH');
  const endings = isSsh ? ['.pub'] : ['.asc', '.gpg'];
  const names = (await readdir(trusted).catch(() => [])).filter((name) =>
    endings.some((ending) => name.endsWith(ending)),
  );
  if (names.length === 0)
    return refuse(
      `is signed, and there is no key of ${isSsh ? 'SSH' : 'OpenPGP'} in ${trusted} to verify it with`,
    );
  const keys = await Promise.all(names.map((name) => readFile(join(trusted, name))));
  const folder = await mkdtemp(join(tmpdir(), 'tagway-signature-'));
  try {
    await writeFile(join(folder, 'signature'), signature.text);
    await writeFile(join(folder, 'signed'), signature.signed);
    const { code, isOver } = isSsh ? await ofSsh(folder, keys, signature.signed) : await ofPgp(folder, keys);
    if (code === undefined)
      return refuse(
        `is signed, and there is no program ${isSsh ? 'ssh-keygen' : 'gpgv'} here that verifies it`,
      );
    if (code !== 0 || isOver)
      return refuse(`has a signature that is not by any of the keys in ${trusted}, or is not good any more`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ofSsh(folder: string, keys: readonly Buffer[], signed: Buffer): Promise<Ran> {
  const lines = keys.flatMap((key) =>
    key
      .toString()
      .split('\n')
      .flatMap((line) => {
        const [, type, data] = /^(\S+) ([A-Za-z0-9+/=]+)(?:\s|$)/.exec(line.trim()) ?? [];
        return type === undefined || data === undefined ? [] : [`tagway namespaces="git" ${type} ${data}\n`];
      }),
  );
  const allowed = join(folder, 'allowed');
  await writeFile(allowed, lines.join(''));
  const args = ['-Y', 'verify', '-f', allowed, '-I', 'tagway', '-n', 'git', '-s', join(folder, 'signature')];
  return run('ssh-keygen', args, { env: { HOME: folder }, input: signed });
}

async function ofPgp(folder: string, keys: readonly Buffer[]): Promise<Ran> {
  const ring = join(folder, 'ring.gpg');
  await writeFile(ring, Buffer.concat(keys.map(withoutArmor)));
  const args = ['--homedir', folder, '--keyring', ring, '--status-fd', '1'];
  const ran = await run('gpgv', [...args, join(folder, 'signature'), join(folder, 'signed')], {
    env: { HOME: folder },
  });
  // A key that has expired or was revoked makes another line.
  const isGood = /^\[GNUPG:\] GOODSIG /m.test(ran.out.toString());
  return ran.code === 0 && !isGood ? { ...ran, code: 1 } : ran;
}

/** The bytes of keys in text; gpgv reads no others. */
function withoutArmor(key: Buffer): Buffer {
  const lines = key.toString('latin1').split(/\r?\n/);
  if (!lines.includes(begin)) return key;
  const blocks: Buffer[] = [];
  let data: string[] | undefined;
  for (const line of lines) {
    if (line === begin) data = [];
    else if (line === end && data !== undefined) {
      // Headers end with an empty line, the data with a checksum.
      const body = data.slice(data.indexOf('') + 1).filter((one) => !one.startsWith('='));
      blocks.push(Buffer.from(body.join(''), 'base64'));
      data = undefined;
    } else data?.push(line);
  }
  return Buffer.concat(blocks);
}

const begin = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const end = '-----END PGP PUBLIC KEY BLOCK-----';
