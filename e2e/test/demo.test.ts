import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import { Client } from '../kit/client.ts';
import { groupsOf, nodeNames } from '../kit/configuration.ts';
import { readValues } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { ended } from '../kit/installed.ts';
import { processesOf } from '../kit/processes.ts';
import { until } from '../kit/until.ts';

const main = join(import.meta.dirname, '../../host/demo/dist/main.js');
const run = join(import.meta.dirname, '../../.dev/run.mjs');

/** The port in the settings of a node. */
async function portOf(client: Client, node: string): Promise<number> {
  const { params } = await client.ok<{ params: { port: number } }>('GET', `/node/setting?node=${node}`);
  return params.port;
}

describe('the demo', function () {
  this.timeout(60_000);
  const data = useFolder('demo');
  let demo: Child | undefined;

  /** Starts it and waits for a line, by default of live values on the terminal. */
  async function start(folder: string, ready = /temperature=-?\d/, ...more: string[]): Promise<Child> {
    const args = [main, '--data', folder, '--port', '0', ...more];
    return (demo = await Child.start(process.execPath, args, { ready, group: true }));
  }

  afterEach(() => {
    demo?.signal('SIGKILL');
    demo?.release();
    demo = undefined;
  });

  for (const when of ['in a new data folder', 'the next time']) {
    it(`shows ${when} where it listens, how to log in and live values, and ends with ^C, leaving nothing`, async () => {
      const child = await start(data());
      const { output, pid } = child;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      expect(url, output).to.be.a('string');
      expect(output)
        .to.include('password 0000')
        .and.to.include('This is the demo')
        .and.to.include('--no-demo');
      const client = await new Client(url ?? '').login();
      try {
        const [node = '', ...others] = await nodeNames(client, 1);
        expect(others).to.deep.equal([]);
        const [group] = await groupsOf(client, node);
        expect((await readValues(client, node, group?.name ?? '')).size).to.be.greaterThan(3);
      } finally {
        client.close();
      }
      const { code } = await child.stop('SIGINT', 10_000);
      expect(code).to.equal(0);
      await until('no process is left', async () => (await processesOf(pid, data())).length === 0, {
        within: 5_000,
      });
    });
  }

  it('goes to other ports where its own are taken, and says what the walk of the README needs then', async () => {
    const servers = [5020, 1884].map((port) => createServer().listen(port, '127.0.0.1'));
    // Where somebody has the port already, that is as good.
    const settled = servers.map((server) => Promise.race([once(server, 'listening'), once(server, 'error')]));
    await Promise.allSettled(settled);
    try {
      const { output } = await start(data('taken'));
      const said = (name: string): string => new RegExp(`export ${name}=(\\S+)`).exec(output)?.[1] ?? '';
      const client = await new Client(said('BASE')).login();
      try {
        expect(await portOf(client, 'plant'))
          .to.equal(Number(said('DEVICE_PORT')))
          .and.be.greaterThan(5020);
        expect(await portOf(client, 'cloud'))
          .to.equal(Number(said('BROKER_PORT')))
          .and.be.greaterThan(1884);
      } finally {
        client.close();
      }
    } finally {
      for (const server of servers) server.close();
    }
  });

  it('makes no folder where the port of the gateway is taken, and names the option for another one', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      for (const more of [[], ['--no-demo']]) {
        const folder = data('port taken');
        const args = [main, '--data', folder, '--port', String(port), ...more];
        const { code, stderr } = await ended(process.execPath, args);
        expect(code).to.equal(1);
        expect(stderr).to.match(/^The API cannot listen on .* another program listens there\. .* --port\.$/m);
        expect(stderr).not.to.include('    at ');
        expect(existsSync(folder)).to.equal(false);
      }
    } finally {
      server.close();
    }
  });

  it('prints its help to a reader that has seen enough', async () => {
    const commands = [
      [main, '--help'],
      [main, '--no-demo', '--help'],
      [run, 'start', '--help'],
    ];
    for (const args of commands) {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect(said, args.join(' ')).to.equal('');
    }
  });

  it('is left out with --no-demo', async () => {
    const child = await start(data('plain'), /Tagway listens on/, '--no-demo');
    expect(child.output).not.to.include('This is the demo');
    expect((await child.stop('SIGTERM', 10_000)).code).to.equal(0);
  });
});
