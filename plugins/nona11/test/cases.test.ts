import { cases } from '@tagway/pluginkit';

describe('cases', () => {
  cases(new URL('../', import.meta.url), new URL('cases/', import.meta.url));
});
