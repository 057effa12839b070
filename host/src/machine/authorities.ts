import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The certificates of those who may sign licenses. Throws, and names the file, when it holds none or one that is not good. */
export function readAuthorities(file: string): X509Certificate[] {
  try {
    const text = readFileSync(file, 'utf8');
    const blocks = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs);
    if (blocks === null) throw new Error('it holds no certificate in PEM');
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The file ${file} of the option "license-ca" cannot be used: ${reason}.`, { cause });
  }
}
