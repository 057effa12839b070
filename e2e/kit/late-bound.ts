/**
 * Stands for something that a hook makes before the first test of a suite, so that the suite can name it where it says what it needs.
 * Members are those of what is there when they are asked for; before that, asking throws.
 */
export function lateBound<T extends object>(what: string, current: () => T | undefined): T {
  const there = (): T => {
    const made = current();
    if (made === undefined) throw new Error(`The ${what} is not there before the first test.`);
    return made;
  };
  return new Proxy({} as T, {
    get(_, key) {
      const made = there();
      const member: unknown = Reflect.get(made, key, made);
      return typeof member === 'function' ? (member.bind(made) as unknown) : member;
    },
    set: (_, key, value) => Reflect.set(there(), key, value),
    has: (_, key) => Reflect.has(there(), key),
  });
}

/** Whether something that a suite uses is made once for all its tests, or for each test anew. */
export type Lifetime = 'suite' | 'test';

/** To be called in a suite: what begins and ends something that its tests use. */
export function lasting(lifetime: Lifetime, begin: () => Promise<void>, end: () => Promise<void>): void {
  (lifetime === 'test' ? beforeEach : before)(begin);
  (lifetime === 'test' ? afterEach : after)(end);
}
