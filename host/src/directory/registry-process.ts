import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { Received } from '../core/ports/registries.ts';
import { reasonOf, recordOf } from '../core/system/sentence.ts';
import { fetchArchive } from './archive.ts';
import { collect } from './mirror/collect.ts';
import type { Answer, Numbered } from './messages.ts';
import { mirrorSource } from './mirror/mirror.ts';
import { isMirror } from './mirror/mirror-address.ts';
import { registrySource } from './source.ts';
import { verifyVersion } from './trust/verify.ts';

// The process that asks registries: it knows the registries of its questions and nothing else of the gateway, and may read no file but those of a
// mirror that it is asked about, and write none but in a folder for what it renews.

/** Milliseconds between two reports of progress. */
const progressInterval = 200;

const ending = new AbortController();

function send(answer: Answer): void {
  process.send?.(answer);
}

async function answer(question: Numbered): Promise<void> {
  const { id } = question;
  try {
    send({ id, result: await resultOf(question) });
  } catch (error) {
    send({ id, fault: faultOf(error) });
  }
}

function faultOf(error: unknown): Extract<Answer, { readonly fault: object }>['fault'] {
  if (!isFault(error))
    return { code: ErrorCode.INTERNAL, reason: 'The process that asks registries has failed.' };
  const reason = reasonOf(error);
  return { code: error.code, reason: typeof reason === 'string' ? reason : recordOf(reason) };
}

async function resultOf(question: Numbered): Promise<Extract<Answer, { readonly result: object }>['result']> {
  const { signal } = ending;
  const { registry, trusted, renewed } = question;
  if (question.op === 'renew') {
    // Loaded here alone: most questions do without it.
    const { renew } = await import('./trust/renewal.ts');
    return renew(question, signal);
  }
  const source = isMirror(registry)
    ? await mirrorSource(registry, trusted, signal)
    : registrySource(registry, signal);
  switch (question.op) {
    case 'search':
      return source.search(question.words, question.most, question.keyword);
    case 'package':
      return source.facts(question.name);
    case 'verify':
      return verifyVersion(source, question.version, renewed);
    case 'collect':
      return collect(source, question.version, renewed, signal);
    case 'archive': {
      let last = -Infinity;
      const progress = (received: Received): void => {
        const now = performance.now();
        if (now - last < progressInterval) return;
        last = now;
        send({ id: question.id, progress: received });
      };
      return fetchArchive(source, question.version, progress);
    }
  }
}

process.on('message', (question) => void answer(question as Numbered));
process.on('disconnect', () => process.exit());
