import { spawn, spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { limited } from '../../src/runtime/process/data-limit.ts';
import { watchMemory } from '../../src/runtime/process/memory-watch.ts';

const node = process.execPath;
/** Megabytes of heap of the processes here, of which 128 are allowed. */
const heap = 32;
const isLinux = process.platform === 'linux';

/** Runs a script in a Node that is limited as a runner is, and returns what it writes. */
function run(script: string): string {
  const [command, ...args] = limited([node, `--max-old-space-size=${heap}`, '-e', script], heap);
  return spawnSync(command, args, { encoding: 'utf8' }).stdout.trim();
}

describe(`the memory of a process of a plugin${isLinux ? '' : ' (skipped: it is limited on Linux only)'}`, () => {
  before(function () {
    if (!isLinux) this.skip();
  });

  it('ends where an allocation in one burst would pass its bound, of which it hears', () => {
    const burst =
      'const kept = []; try { for (;;) kept.push(Buffer.alloc(8 << 20, 1)); } catch (error) { console.log(kept.length * 8, error.name); }';
    const [megabytes, error] = run(burst).split(' ');
    expect(Number(megabytes)).to.be.within(96, 256);
    expect(error).to.equal('RangeError');
  });

  it('is enough for WebAssembly, which reserves gigabytes of addresses, and for a thread with little compiled code', () => {
    const memory = 'new WebAssembly.Memory({ initial: 16, maximum: 65536 }).grow(512)';
    const thread =
      "new (require('node:worker_threads').Worker)('', { eval: true, resourceLimits: { codeRangeSizeMb: 16 } }).on('exit', (code) => console.log(code))";
    expect(run(`console.log(${memory}); ${thread}`).split('\n')).to.deep.equal(['16', '0']);
  });

  it('is looked at, too: more than its bound for a while is a reason to end it', async function () {
    this.timeout(20_000);
    const script = 'const kept = Buffer.alloc(160 << 20, 1); setInterval(() => kept, 1000)';
    const child = spawn(node, ['-e', script], { stdio: 'ignore' });
    try {
      const reason = await new Promise<string>((resolve) => watchMemory(child.pid ?? 0, heap, resolve));
      expect(reason).to.match(
        /^took \d+ MB of memory and was ended; 128 MB are allowed with a heap of 32 MB \(--runner-memory\)$/,
      );
    } finally {
      child.kill('SIGKILL');
    }
  });
});
