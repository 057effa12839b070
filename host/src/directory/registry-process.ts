import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { Received } from '../core/ports/registries.ts';
import { fetchArchive } from './archive.ts';
import { factsOf } from './facts.ts';
import type { Answer, Numbered } from './messages.ts';
import { search } from './search.ts';

// The process that asks registries: it knows the registries of its questions and nothing else of the gateway, and may read no file.

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
    const fault = isFault(error)
      ? { code: error.code, message: error.message }
      : { code: ErrorCode.INTERNAL, message: 'The process that asks registries has failed.' };
    send({ id, fault });
  }
}

function resultOf(
  question: Numbered,
): ReturnType<typeof search> | ReturnType<typeof factsOf> | ReturnType<typeof fetchArchive> {
  const { signal } = ending;
  switch (question.op) {
    case 'search':
      return search(question.registry, question.words, question.most, signal);
    case 'package':
      return factsOf(question.registry, question.name, signal);
    case 'archive': {
      let last = -Infinity;
      const progress = (received: Received): void => {
        const now = performance.now();
        if (now - last < progressInterval) return;
        last = now;
        send({ id: question.id, progress: received });
      };
      return fetchArchive(question.registry, question.version, progress, signal);
    }
  }
}

process.on('message', (question) => void answer(question as Numbered));
process.on('disconnect', () => process.exit());
