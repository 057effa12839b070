import { Refusal } from './store.ts';

/** Requests that are spent on one batch to find what the store refuses. */
const mostRequests = 1000;

/**
 * Sends items, and where the store refuses several without saying which, sends their halves in order, down to the ones that it refuses alone:
 * these are given to `refused`. After a thousand requests what is refused is given up as a whole, so that a batch of which nothing is good
 * does not keep the store busy.
 */
export async function sendHalved<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<void>,
  refused: (items: readonly T[], reason: string) => void,
): Promise<void> {
  let requests = 0;
  const sendPart = async (part: readonly T[]): Promise<void> => {
    try {
      requests++;
      await send(part);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (part.length === 1 || requests >= mostRequests) return refused(part, error.message);
      const middle = part.length >>> 1;
      await sendPart(part.slice(0, middle));
      await sendPart(part.slice(middle));
    }
  };
  if (items.length > 0) await sendPart(items);
}
