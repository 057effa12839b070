import { AsyncLocalStorage } from 'node:async_hooks';

interface Condition {
  check: (() => Promise<void>) | undefined;
}

const conditions = new AsyncLocalStorage<Condition>();

/**
 * Does `work`, whose first change happens only if `check` does not reject: it is called when no other change can come between the two. What
 * it rejects with is what the change rejects with.
 */
export function onlyIf<T>(check: () => Promise<void>, work: () => T): T {
  return conditions.run({ check }, work);
}

/** To be called at the beginning of every change that a request asked for. */
export async function checkCondition(): Promise<void> {
  const condition = conditions.getStore();
  const check = condition?.check;
  if (condition === undefined || check === undefined) return;
  // What the change itself makes of it must not keep the rest of the same request from being done.
  condition.check = undefined;
  await check();
}
