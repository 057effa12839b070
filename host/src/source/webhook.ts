import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ErrorCode } from '@tagway/schemas';
import type { Hook } from '../core/ports/config-source.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';

/** Characters of a secret that is not to be guessed. */
const shortest = 16;

/** Refuses a call that does not know the secret in a file. Rejects with WEBHOOK_REFUSED. */
export async function checkHook({ signature, token, body }: Hook, file: string | undefined): Promise<void> {
  if (file === undefined)
    throw refused(
      sentence`This gateway takes no calls of webhooks: it was started without --config-webhook.`,
    );
  const secret = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (secret.length < shortest)
    throw refused(
      sentence`The file of --config-webhook cannot be read, or has less than ${shortest} characters.`,
    );
  const isGood =
    signature === undefined
      ? token !== undefined && isSame(token, secret)
      : isSame(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  if (!isGood) throw refused(sentence`The webhook is not signed with the secret of this gateway.`);
}

/** In the same time for all texts of one length, and of any. */
function isSame(given: string, wanted: string): boolean {
  const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashOf(given), hashOf(wanted));
}

function refused(reason: Sentence): Refusal {
  return new Refusal(ErrorCode.WEBHOOK_REFUSED, reason);
}
