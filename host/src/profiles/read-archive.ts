import { profileLimits } from '@tagway/schemas';
import { invalid } from '../core/profiles/profile-rules.ts';
import { isFault } from '@tagway/sdk';
import { sentence } from '../core/system/sentence.ts';
import { inflate } from '../library/inflate.ts';
import { readTar, safeParts } from '../library/tar.ts';

/** The folder that holds everything in a tarball as npm makes it. */
const root = 'package';

/** Files that a profile may have beside its picture: text and data, and nothing that runs. */
const allowed =
  /^(?:package\.json|profile\.json|signature\.json|README(?:\.zh)?\.md|CHANGELOG\.md|(?:LICEN[CS]E|NOTICE)(?:\.md|\.txt)?|[A-Za-z0-9_-]{1,60}\.(?:png|webp|jpg))$/;

/** The files of an archive by their names, in memory: it is small, or it is refused. Rejects with PROFILE_INVALID. */
export async function readArchive(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  let entries = 0;
  try {
    for await (const { path, isFolder, size, content } of readTar(
      inflate(archive, profileLimits.unpacked, tooBig),
    )) {
      if (++entries > profileLimits.entries)
        throw new Error(`has more than ${profileLimits.entries} entries`);
      const parts = safeParts(path);
      if (parts === undefined || parts[0] !== root)
        throw new Error(`has an entry "${path.slice(0, 200)}" that is not in its folder ${root}/`);
      if (isFolder && parts.length === 1) continue;
      const name = parts.slice(1).join('/');
      if (isFolder || !allowed.test(name))
        throw new Error(
          `has an entry "${name.slice(0, 200)}". A profile is data: package.json, profile.json, signature.json, README.md, CHANGELOG.md, LICENSE, NOTICE and a picture`,
        );
      if (size > profileLimits.unpacked) throw new Error(`has an entry "${name}" that is too large`);
      if (files.has(name)) throw new Error(`has the entry "${name}" twice`);
      files.set(name, await whole(content));
    }
  } catch (error) {
    if (isFault(error)) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    const reason = code?.startsWith('Z_') === true ? `is not gzipped or is damaged (${message})` : message;
    throw invalid(sentence`Its archive ${reason}.`);
  }
  return files;
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function tooBig(): Error {
  return new Error(`holds more than ${profileLimits.unpacked / 1e6} MB`);
}
