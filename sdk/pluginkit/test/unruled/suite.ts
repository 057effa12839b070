import { cases } from '../../src/index.ts';

describe('cases', () => {
  cases(new URL('../faulty/', import.meta.url), new URL('cases/', import.meta.url));
});
