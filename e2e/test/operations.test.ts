import { ErrorCode } from '@tagway/schemas';
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { addModbus, modbusSettings, registerTags, stateOf } from '../kit/configure.ts';
import { useGateway } from '../world/plant.ts';
import { until } from '../kit/until.ts';

interface LogPage {
  readonly error: number;
  readonly rows: readonly string[];
  readonly page_count: number;
}

describe('operations', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway({ args: ['--log-level-revert', '1'] });

  before(async () => {
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP', params: modbusSettings(9) });
  });

  const seconds = (): number => Math.floor(Date.now() / 1000);
  const log = (query: Record<string, unknown> = {}): Promise<LogPage> =>
    client.ok('GET', '/log', {
      since: seconds() - 600,
      until: seconds() + 600,
      page: 0,
      page_size: 200,
      ...query,
    });

  describe('GET /log/list and /log/file', () => {
    it('name the files of the log with their sizes, and give what one holds', async () => {
      const { files } = await client.ok<{ files: { file: string; size: number }[] }>('GET', '/log/list');
      const [newest] = files;
      expect(newest?.file).to.equal('tagway.log');
      const response = await fetch(`${gateway.url}/api/v2/log/file?name=tagway.log`, {
        headers: { authorization: `Bearer ${client.token}` },
      });
      expect(response.headers.get('content-type')).to.match(/^text\/plain/);
      const text = await response.text();
      expect(text).to.include('[NOTICE] gateway: The gateway listens on');
      expect(Buffer.byteLength(text)).to.be.at.least(newest?.size ?? Infinity);
    });
  });

  describe('GET /logs', () => {
    it('gives an archive that tar takes, under exactly the headers that clients know', async () => {
      const response = await fetch(`${gateway.url}/api/v2/logs`, {
        headers: { authorization: `Bearer ${client.token}` },
      });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/octet-stream');
      expect(response.headers.get('content-disposition')).to.equal('attachment; filename=tagway_logs.tar.gz');
      const file = join(gateway.data, 'archive.tar.gz');
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
      const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, 'logs/tagway.log']);
      expect(stdout).to.include('[NOTICE] gateway: The gateway listens on');
    });

    it('is 404 1011 without a folder, 404 1014 when it cannot be read, and 200 again afterwards', async () => {
      const folder = join(gateway.data, 'logs');
      const answer = async (): Promise<string> => {
        const { status, body } = await client.call('GET', '/logs');
        return `${status} ${body.error ?? 0}`;
      };
      await rename(folder, `${folder}.aside`);
      try {
        expect(await answer()).to.equal(`404 ${ErrorCode.FILE_NOT_FOUND}`);
        await writeFile(folder, '');
        expect(await answer()).to.equal(`404 ${ErrorCode.COMMAND_FAILED}`);
        await rm(folder);
      } finally {
        await rename(`${folder}.aside`, folder);
      }
      expect(await answer()).to.equal('200 0');
    });
  });

  describe('GET /log', () => {
    it('gives the lines of a time, of a level and above, in pages', async () => {
      const { rows, page_count, error } = await log();
      expect({ page_count, error }).to.deep.equal({ page_count: 1, error: 0 });
      expect(rows.join('\n')).to.include('The gateway listens on');
      expect((await log({ level: 'fatal' })).rows).to.deep.equal([]);
      expect((await log({ until: seconds() - 300 })).rows).to.deep.equal([]);
      expect((await log({ page: 1 })).rows).to.deep.equal([]);
    });

    it('gives what was logged a moment ago', async () => {
      await client.ok('PUT', '/log/level', { level: 'debug' });
      await client.call('GET', '/node/state', { node: 'to-be-found' });
      expect((await log({ level: 'debug' })).rows.join('\n')).to.include('to-be-found');
      expect((await log({ level: 'info' })).rows.join('\n')).not.to.include('to-be-found');
    });
  });

  it('GET /log has the lines of one node, or those with a text', async () => {
    const ofNode = await log({ node: 'plant' });
    expect(ofNode.rows).not.to.be.empty;
    for (const row of ofNode.rows) expect(row).to.match(/^\S+ \S+ \[[A-Z]+\] plant: /);
    const { rows, page_count } = await log({ node: 'gateway', text: 'added the node "plant"' });
    expect(rows).to.have.length(1);
    expect(page_count).to.equal(1);
    expect((await log({ text: 'nothing of the kind' })).rows).to.deep.equal([]);
  });

  it('GET / is the web page, with scripts of the gateway alone and nothing that is kept beyond its content', async () => {
    const page = await fetch(gateway.url);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.include("script-src 'self'");
    expect(page.headers.get('cache-control')).to.equal('no-cache');
    const scripts = [...(await page.text()).matchAll(/<script type="module"[^>]* src="([^"]+)"/g)];
    // The last one is the page itself; what loads it is too small to be compressed.
    const script = scripts.at(-1)?.[1] ?? '';
    const asset = await fetch(new URL(script, page.url));
    expect(asset.status, script).to.equal(200);
    expect(asset.headers.get('content-type')).to.match(/^text\/javascript/);
    expect(asset.headers.get('content-encoding')).to.be.oneOf(['br', 'gzip']);
    expect(asset.headers.get('cache-control')).to.include('immutable');
    await asset.body?.cancel();
    const { status } = await fetch(new URL('/assets/../../package.json', page.url));
    expect(status).to.equal(404);
  });

  it('GET /docs/README.html leads to all pages of the documentation, by links that lead to pages', async () => {
    const seen = new Set<string>();
    const visit = async (url: string): Promise<void> => {
      if (seen.has(url)) return;
      seen.add(url);
      const page = await fetch(url);
      expect(page.status, url).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const text = await page.text();
      for (const [, anchor = ''] of text.matchAll(/href="#([^"]+)"/g))
        expect(text).to.include(`id="${anchor}"`);
      for (const [, target = ''] of text.matchAll(/href="(?![a-z]+:|#)([^"#]+)/g))
        await visit(new URL(target, url).href);
    };
    await visit(`${gateway.url}/docs/README.html`);
    expect([...seen]).to.include.members(
      ['docs/api', 'docs/plugins/write-a-driver', 'plugins/mqtt/README'].map(
        (page) => `${gateway.url}/${page}.html`,
      ),
    );
    const reference = await (await fetch(`${gateway.url}/api`)).text();
    expect(reference).to.include('href="docs/README.html"');
  });
  describe('PUT /log/level', () => {
    const levels = async (): Promise<[core: string, node: string]> => {
      const { service_core } = await client.ok<{ service_core: string }>('GET', '/node/state');
      return [service_core, (await stateOf(client, 'plant')).log_level];
    };
    const reverted = () =>
      until('the levels are as they were', async () => (await levels()).every((level) => level === 'notice'));

    it('shows in node states, and reverts after the time that was configured', async () => {
      await reverted();
      await client.ok('PUT', '/log/level', { node: 'plant', level: 'error', core: false });
      expect(await levels()).to.deep.equal(['notice', 'error']);
      await client.ok('PUT', '/log/level', { node: 'plant', level: 'warn' });
      expect(await levels()).to.deep.equal(['warn', 'warn']);
      await reverted();
    });

    it('reaches the runner of the node: its debug lines come', async () => {
      const lines = async (): Promise<number> =>
        (await log({ level: 'debug', page_size: 10_000 })).rows.filter((row) =>
          row.includes('[DEBUG] chatty:'),
        ).length;
      // A driver whose device is not there says so once aloud, and then at debug level each time it tries again.
      await addModbus(client, 'chatty', { port: 9, tags: registerTags(1) });
      expect(await lines()).to.equal(0);
      await until('the driver logs its attempts to connect', async () => {
        await client.ok('PUT', '/log/level', { node: 'chatty', level: 'debug', core: false });
        return (await lines()) > 0;
      });
    });
  });

  describe('GET /file/info', () => {
    it('lists what a folder holds', async () => {
      const folder = join(gateway.data, 'libraries', 'some folder');
      await mkdir(join(folder, 'inner'), { recursive: true });
      await writeFile(join(folder, 'a file'), '12345');
      const { files } = await client.ok<{ files: Record<string, unknown>[] }>('GET', '/file/info', {
        dir_path: folder,
      });
      expect(files.map(({ name }) => name)).to.deep.equal(['a file', 'inner']);
      expect(files[0]).to.have.all.keys('name', 'size', 'ctime', 'mtime');
      expect(files[0]?.['size']).to.equal(5);
      for (const key of ['ctime', 'mtime'])
        expect(files[0]?.[key]).to.match(/^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/);
    });

    const code = (path: string): Promise<number> =>
      client.errorOf('GET', '/file/info', { dir_path: join(gateway.data, path) });

    it('keeps to the libraries where no roots are configured', async () => {
      expect(await code('libraries')).to.equal(0);
      for (const path of ['.', 'keys', 'libraries/../keys', '..'])
        expect(await code(path), path).to.equal(ErrorCode.FILE_OPEN_FAILED);
    });

    it('keeps to the roots that are configured, and never lists the keys', async () => {
      await gateway.restart(['--file-roots', gateway.data]);
      expect(await code('logs')).to.equal(0);
      await symlink(join(gateway.data, 'keys'), join(gateway.data, 'libraries', 'a link'));
      for (const path of ['keys', 'libraries/a link'])
        expect(await code(path), path).to.equal(ErrorCode.FILE_OPEN_FAILED);
      await mkdir(join(gateway.data, 'root/inner'), { recursive: true });
      await gateway.restart(['--file-roots', join(gateway.data, 'root')]);
      expect(await code('libraries')).to.equal(0);
      expect(await code('root/inner')).to.equal(0);
      expect(await code('root/..')).to.equal(ErrorCode.FILE_OPEN_FAILED);
      expect(await code('logs')).to.equal(ErrorCode.FILE_OPEN_FAILED);
      expect(await code('root/absent')).to.equal(ErrorCode.FILE_NOT_FOUND);
    });
  });
});
