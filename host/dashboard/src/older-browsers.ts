// Functions that the page uses and some supported browsers do not have. Only missing ones are added.

if (!('toSorted' in Array.prototype)) {
  Object.defineProperty(Array.prototype, 'toSorted', {
    configurable: true,
    writable: true,
    value(this: unknown[], compare?: (a: unknown, b: unknown) => number): unknown[] {
      return [...this].sort(compare);
    },
  });
}

export {};
