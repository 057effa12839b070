import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { hostFlags, runnerFlags } from '../../src/core/system/v8-flags.ts';

/** What a process sends through a wire, and the most that the buffers of its messages took meanwhile. */
const script = `
  import { PassThrough } from 'node:stream';
  import { Wire } from '${import.meta.resolve('@tagway/sdk/internal')}';
  const wire = new Wire(new PassThrough(), { message: () => undefined, protocolError: () => undefined });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  // Numbers as of 1000 samples of 10,000 tags, 80 MB of them, and 20 MB on the wire.
  for (let count = 0; count < 1000; count++) {
    wire.send({ op: 'sample', numbers: new Float64Array(10_000).fill(count) });
    await new Promise(setImmediate);
    if (count % 50 === 49) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  process.stdout.write(String(most));`;

describe('the flags of V8', () => {
  for (const [who, flags] of [
    ['host', hostFlags],
    ['runners', runnerFlags],
  ] as const) {
    it(`make a process give back what messages brought, long before it is much (${who})`, () => {
      const args = [...flags, '--conditions=source', '--input-type=module', '-e', script];
      // 4 MB as a rule, 9 on busy cores: V8 collects in a task that waits for its turn. Without the flags it is 105 MB.
      expect(Number(execFileSync(process.execPath, args))).to.be.within(1, 30_000_000);
    });
  }
});
