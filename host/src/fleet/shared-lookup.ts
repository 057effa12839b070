import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** By the host and the kind of its addresses. */
const pending = new Map<string, Promise<LookupAddress[]>>();

/**
 * Looks up names, each once at a time. A question to the system cannot be cancelled and keeps a thread: names that nobody answers for
 * would else fill the queue of everything that reads files.
 */
export const sharedLookup: LookupFunction = (host, options, callback) => {
  const { all = false, family = 0 } = options;
  const kind = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
  const key = `${kind} ${host}`;
  let question = pending.get(key);
  if (question === undefined) {
    question = lookup(host, { all: true, family: kind }).finally(() => pending.delete(key));
    pending.set(key, question);
  }
  question.then(
    (addresses) => {
      const [first] = addresses;
      if (all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    (error: unknown) => callback(error as NodeJS.ErrnoException, []),
  );
};
