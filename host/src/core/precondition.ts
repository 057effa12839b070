import { AsyncLocalStorage } from 'node:async_hooks';

interface Condition {
  check: (() => void) | undefined;
}

const conditions = new AsyncLocalStorage<Condition>();

/**
 * Does `work`, whose first change happens only if `check` does not throw: it is called when no other change can come between the two. What
 * it throws is what the change rejects with.
 */
export function onlyIf<T>(check: () => void, work: () => T): T {
  return conditions.run({ check }, work);
}

/** To be called at the beginning of every change that a request asked for. */
export function checkCondition(): void {
  const condition = conditions.getStore();
  const check = condition?.check;
  if (condition === undefined || check === undefined) return;
  // What the change itself makes of it must not keep the rest of the same request from being done.
  condition.check = undefined;
  check();
}
