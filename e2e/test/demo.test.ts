import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Child } from '../child.ts';
import { Client } from '../client.ts';
import { readValues } from '../configure.ts';
import { processesOf } from '../processes.ts';
import { until } from '../until.ts';

const main = join(import.meta.dirname, '../../host/demo/dist/main.js');

describe('the demo', function () {
  this.timeout(60_000);
  let data: string;
  let demo: Child | undefined;

  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'tagway-demo-'));
  });

  /** Starts it and waits for live values on the terminal. */
  async function start(...args: string[]): Promise<Child> {
    demo = await Child.start(process.execPath, [main, '--data', data, '--port', '0', ...args], {
      ready: /temperature=-?\d/,
      group: true,
    });
    return demo;
  }

  afterEach(() => {
    demo?.signal('SIGKILL');
    demo?.release();
    demo = undefined;
  });
  after(() => rm(data, { recursive: true, force: true, maxRetries: 5 }));

  for (const when of ['in a new data folder', 'the next time']) {
    it(`shows ${when} where it listens, how to log in and live values, and ends with ^C, leaving nothing`, async () => {
      const { output, pid } = await start();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      expect(url, output).to.be.a('string');
      expect(output)
        .to.include('password 0000')
        .and.to.include('This is the demo')
        .and.to.include('--no-demo');
      const client = await new Client(url ?? '').login();
      try {
        const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
        expect(nodes).to.have.length(1);
        const node = nodes[0]?.name ?? '';
        const { groups } = await client.ok<{ groups: { name: string }[] }>('GET', '/group', { node });
        expect((await readValues(client, node, groups[0]?.name ?? '')).size).to.be.greaterThan(3);
      } finally {
        client.close();
      }
      const { code } = await (demo as Child).stop('SIGINT', 10_000);
      expect(code).to.equal(0);
      await until('no process is left', async () => (await processesOf(pid, data)).length === 0, {
        within: 5_000,
      });
    });
  }

  it('is left out with --no-demo', async () => {
    demo = await Child.start(
      process.execPath,
      [main, '--data', `${data}/plain`, '--port', '0', '--no-demo'],
      {
        ready: /Tagway listens on/,
        group: true,
      },
    );
    expect(demo.output).not.to.include('This is the demo');
    expect((await demo.stop('SIGTERM', 10_000)).code).to.equal(0);
  });
});
