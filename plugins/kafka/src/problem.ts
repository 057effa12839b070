import { type ServerWords, tlsProblem, Unavailable } from '@tagway/store';
import type { LinkStep } from '@tagway/sdk';
import { failureOf } from '@tagway/sdk/link';

const words: ServerWords = {
  server: 'broker',
  place: '"brokers"',
  plain: 'set "ssl" to false, or the ports in "brokers" to those with TLS',
};

const missingTopic = 'UNKNOWN_TOPIC_OR_PARTITION';

/** What to do, by the name of an error of the protocol. */
const advice: ReadonlyMap<string, string> = new Map([
  [missingTopic, 'The topic does not exist. Create it, or set "create_topics" to true.'],
  [
    'TOPIC_AUTHORIZATION_FAILED',
    'The user may not write to the topic. Give it the right, or name another one.',
  ],
  [
    'CLUSTER_AUTHORIZATION_FAILED',
    'The user may not write idempotently. Give it the right, or set "idempotent" to false.',
  ],
  [
    'SASL_AUTHENTICATION_FAILED',
    'The broker refuses the login. Check the setting "sasl" and those of its login.',
  ],
  ['UNSUPPORTED_SASL_MECHANISM', 'The broker does not know this mechanism. Check the setting "sasl".'],
  ['NOT_ENOUGH_REPLICAS', 'Too few replicas of the topic are there. It is tried again.'],
]);

/** Errors of the protocol that the same records will always have. */
const ofRecords: ReadonlySet<string> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'CORRUPT_MESSAGE',
]);

interface KafkaError extends Error {
  readonly code?: string;
  readonly apiId?: string;
  readonly serverErrorMessage?: string | null;
  readonly errors?: readonly unknown[];
}

/** The name of an error of the protocol. The library says of a missing topic only that it is unknown. */
function apiIdOf({ apiId, message }: KafkaError): string | undefined {
  return apiId ?? (message.startsWith('Unknown topic ') ? missingTopic : undefined);
}

/** The first error of the protocol or of the way to the broker among what an error is made of. */
function causeOf(error: unknown): KafkaError {
  const queue = [error];
  let first: KafkaError | undefined;
  while (queue.length > 0) {
    const next = queue.shift();
    if (!(next instanceof Error)) continue;
    const known: KafkaError = next;
    if (apiIdOf(known) !== undefined || known instanceof Unavailable) return known;
    if (known.code !== undefined && !known.code.startsWith('PLT_')) first ??= known;
    queue.push(...(known.errors ?? []), known.cause);
  }
  return first ?? (error instanceof Error ? error : new Error(String(error)));
}

/** Whether the cluster will never take these records. */
export function isOfRecords(error: unknown): boolean {
  return ofRecords.has(causeOf(error).apiId ?? '');
}

/** Why the cluster takes nothing, as a sentence. */
export function describe(error: unknown, broker = 'the broker'): Unavailable {
  if (error instanceof Unavailable) return error;
  const cause = causeOf(error);
  if (cause instanceof Unavailable) return cause;
  const apiId = apiIdOf(cause);
  if (apiId !== undefined) {
    const hint = advice.get(apiId) ?? cause.message;
    return new Unavailable(`${hint} (${apiId})`, { step: 'first answer', cause: error });
  }
  const ofTls = tlsProblem(cause, words);
  if (ofTls !== undefined) return new Unavailable(ofTls, { step: 'handshake', cause: error });
  const { reason, step = 'connect' } = failureOf(broker, cause) as { reason: string; step?: LinkStep };
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return new Unavailable(/[.!?)]$/.test(text) ? text : `${text}.`, { step, cause: error });
}
