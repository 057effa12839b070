// What the page uses and the browsers that it is built for do not all have. Only what is missing is added.

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
