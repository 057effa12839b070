import { readFile } from 'node:fs/promises';
import { systemReason } from '../../core/system/system-error.ts';
import { SourceError } from '../source-error.ts';

/** The header with a token, read from its file. Rejects with `SourceError`. */
export async function basicOf(user: string, file: string): Promise<string> {
  const token = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new SourceError(`The file ${file} of --config-token cannot be read: ${systemReason(cause)}.`, {
      cause,
    });
  });
  if (!/^[\x21-\x7e]+\s*$/.test(token))
    throw new SourceError(`The file ${file} of --config-token is to have a token and nothing else.`);
  return `Basic ${Buffer.from(`${user === '' ? 'tagway' : user}:${token.trim()}`).toString('base64')}`;
}
