import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const scene = fileURLToPath(import.meta.resolve('./kernel-gate-scene.ts'));
const command = ['--net', process.execPath, '--conditions=source', scene];

/** Why the gate cannot be tried here; empty when it can. */
function reason(): string {
  if (process.platform !== 'linux') return ' (skipped: the gate is of Linux alone)';
  const { status, stderr, error } = spawnSync('unshare', [...command, 'probe'], { encoding: 'utf8' });
  if (status === 0) return '';
  const [line = ''] = (error?.message ?? stderr).split('\n').filter((one) => /Error|unshare/.test(one));
  return ` (skipped: ${line.trim()})`;
}

const skipped = reason();

describe(`the gate in the kernel${skipped}`, function () {
  this.timeout(30_000);

  it('drops what a driver sends unless it was opened, shuts by itself in time, and at once when told', async function () {
    if (skipped !== '') return this.skip();
    const { stdout } = await promisify(execFile)('unshare', command);
    const found = JSON.parse(stdout) as Record<string, { tcp: number; udp: number }> & { said: string[] };
    expect(found.said).to.deep.equal([]);
    for (const when of ['closed', 'timedOut', 'shut'])
      expect(found[when], `${when} of ${stdout}`).to.deep.equal({ tcp: 0, udp: 0 });
    for (const when of ['open', 'again']) {
      expect(found[when]?.udp, stdout).to.be.above(5);
      expect(found[when]?.tcp, stdout).to.be.above(0);
    }
  });
});
