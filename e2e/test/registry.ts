import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const store = join(import.meta.dirname, '../../node_modules/.pnpm');
const entries = readdirSync(store);

const isMac = process.platform === 'darwin' && process.arch === 'arm64';
const nodeBinary = `${isMac ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`;

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * An npm registry with the packages that are installed in the workspace, and without ours: what a vendor's engineer has at hand. No
 * request leaves the machine.
 */
export class Registry implements AsyncDisposable {
  readonly #server: Server;
  /** Names of packages that were asked for and are not there. */
  readonly missed = new Set<string>();
  readonly #own: string;

  private constructor(own: string) {
    this.#own = own;
    this.#server = createServer((request, reply) => {
      this.#answer(decodeURIComponent(request.url ?? '/').slice(1), reply).catch((error: unknown) =>
        reply.destroy(error as Error),
      );
    });
  }

  static async start(): Promise<Registry> {
    const registry = new Registry(await mkdtemp(join(tmpdir(), 'tagway-registry-')));
    await registry.#offerNode();
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await rm(this.#own, { recursive: true, force: true });
  }

  /** The package of this machine's binary, which the package "node" asks for when it is installed. */
  async #offerNode(): Promise<void> {
    const [entry = ''] = entries.filter((one) => one.startsWith('node@'));
    const folder = join(this.#own, nodeBinary);
    await mkdir(folder);
    await symlink(join(store, entry, 'node_modules/node/bin'), join(folder, 'bin'));
    const manifest = { name: nodeBinary, version: entry.slice('node@'.length), bin: { node: 'bin/node' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  }

  async #answer(path: string, reply: ServerResponse): Promise<void> {
    const [name = '', file] = path.split('/-/');
    const folders =
      name === nodeBinary ? [join(this.#own, name)] : name.startsWith('@tagway/') ? [] : foldersOf(name);
    const found = await Promise.all(
      folders.map(async (folder) => ({ folder, manifest: await read(folder) })),
    );
    if (found.length === 0) this.missed.add(name);
    const wanted = found.find(({ manifest }) => file === `${manifest.version}.tgz`);
    if (file !== undefined && wanted !== undefined) return sendArchive(wanted.folder, reply);
    if (file !== undefined || found.length === 0) {
      reply.writeHead(404).end('{}');
      return;
    }
    const versions = found.map(({ manifest }) => [
      manifest.version,
      { ...manifest, dist: { tarball: `${this.url}${name}/-/${manifest.version}.tgz` } },
    ]);
    const latest = found.at(-1)?.manifest.version;
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(
      JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) as object }),
    );
  }
}

/** Where a package is installed, once for each version. */
function foldersOf(name: string): string[] {
  const prefix = `${name.replace('/', '+')}@`;
  const own = entries.filter((entry) => entry.startsWith(prefix));
  const folders = own.map((entry) => join(store, entry, 'node_modules', name));
  // One version may be there several times, with different peers.
  const byVersion = new Map(folders.map((folder) => [folder.slice(store.length).split(/[/(_]/)[1], folder]));
  return [...byVersion.values()];
}

async function read(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** npm drops the first folder of the paths, whatever it is called. Not compressed: the network is this machine. */
async function sendArchive(folder: string, reply: ServerResponse): Promise<void> {
  const args = ['--exclude=node_modules', '-chf', '-', '-C', dirname(folder), basename(folder)];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  reply.writeHead(200, { 'content-type': 'application/octet-stream' });
  tar.stdout.pipe(reply);
  const [code] = (await once(tar, 'exit')) as [number | null];
  // 1: a file got another name as well while it was read, as files of the store do when a test installs from it.
  if (code !== 0 && code !== 1) throw new Error(`The package in ${folder} could not be packed.`);
}
