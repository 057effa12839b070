import { expect } from 'chai';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '../child.ts';
import { processesOf } from '../processes.ts';
import { until } from '../until.ts';

const root = join(import.meta.dirname, '../..');
const hasCurl = spawnSync('curl', ['--version']).error === undefined;

// What `npm start` runs once everything is installed and built.
describe('the demo', function () {
  this.timeout(90_000);
  let folder: string;
  let demo: Child | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-demo-'));
  });
  afterEach(async () => {
    if (demo) {
      const { pid, exited } = demo;
      demo.signal('SIGINT');
      await exited;
      await until('every process of the demo is gone', async () => (await processesOf(pid)).length === 0);
    }
    demo = undefined;
    await rm(folder, { recursive: true });
  });

  function start(ready: RegExp, ...args: string[]): Promise<Child> {
    const main = join(root, 'host/demo/dist/main.js');
    return Child.start(process.execPath, [main, '--data', join(folder, 'data'), '--port', '0', ...args], {
      ready,
      group: true,
      within: 60_000,
    });
  }

  it('shows live values, ends on SIGINT with nothing left behind, and comes back', async () => {
    for (const run of ['first', 'second']) {
      demo = await start(/temperature=\d+.* line=Line 1, boiler/);
      expect(demo.output, run).to.match(/This is the demo/);
      const { pid, exited } = demo;
      demo.signal('SIGINT');
      expect(await exited, run).to.deep.equal({ code: 0, signal: null });
      await until('every process is gone', async () => (await processesOf(pid)).length === 0);
      demo = undefined;
    }
  });

  it('is left out with --no-demo', async () => {
    demo = await start(/Tagway listens on/, '--no-demo');
    expect(demo.output).not.to.include('This is the demo');
  });

  it(`takes the README's walk through the API${hasCurl ? '' : ' (skipped: curl is not installed)'}`, async function () {
    if (!hasCurl) this.skip();
    demo = await start(/temperature=\d+/);
    const { output } = demo;
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const script = /## Walk through the API[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], {
      env: {
        ...process.env,
        BASE: /http:\/\/[\d.]+:\d+/.exec(output)?.[0],
        DEVICE_PORT: /device\s+127\.0\.0\.1:(\d+)/.exec(output)?.[1],
        BROKER_PORT: /broker\s+127\.0\.0\.1:(\d+)/.exec(output)?.[1],
      },
    });
    const replies = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const failed = replies.filter((reply) => (reply['error'] ?? 0) !== 0);
    expect(failed, stdout).to.deep.equal([]);
    const readings = replies.flatMap((reply) => (reply['tags'] ? [reply['tags'] as object[]] : []));
    expect(readings).to.have.length(2);
    expect(readings[0]?.[0]).to.have.property('value').that.is.a('number');
    expect(readings[1]?.[1]).to.deep.equal({ name: 'setpoint', value: 72.5 });
    const states = replies.at(-1)?.['states'] as { node: string; link: number }[];
    expect(states.map(({ node, link }) => `${node} ${link}`)).to.include.members(['boiler 2', 'uplink 2']);
  });
});
