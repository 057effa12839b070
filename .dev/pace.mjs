// What the order of the tests has to know about single files; everything else about them is found by itself.

/**
 * Files that take long, the longest first: each is a job of its own and begins early, so that none of them is what a
 * run waits for at its end. Conformance suites need not be named, they are treated like that in every package.
 */
export const long = [
  'e2e/pair/service.test.ts',
  'e2e/pair/faults.test.ts',
  'e2e/test/plugin-install.test.ts',
  'e2e/test/third-party.test.ts',
  'e2e/test/outage.test.ts',
  'e2e/hostile/without-token.test.ts',
  'e2e/test/supervision.test.ts',
  'e2e/test/package.test.ts',
  'e2e/test/generated-client.test.ts',
  'plugins/mqtt/test/flapping.test.ts',
  'e2e/page/looks.test.ts',
  'e2e/test/fuzz.test.ts',
  'e2e/test/kill.test.ts',
  'e2e/hostile/plugin-processes.test.ts',
];

/** Files that measure, by the reason why nothing else may run beside them. They come last, one after the other. */
export const alone = {};
