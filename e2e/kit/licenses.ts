import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const folder = join(import.meta.dirname, '../licenses');

/** The authority that signed the licenses which are kept beside this file. */
export const authorityFile = join(folder, 'authority.pem');

/**
 * A license that is kept: one without a narrow limit, one that has expired, one for another machine, and one that another
 * authority has signed. They were made with the commands of host/LICENSING.md.
 */
export function keptLicense(name: 'good' | 'expired' | 'foreign' | 'unknown'): Promise<string> {
  return readFile(join(folder, `${name}.pem`), 'utf8');
}

export interface LicenseOptions {
  readonly type?: string;
  readonly nodes?: number;
  readonly nodeTags?: number;
  readonly hardwareToken?: string;
}

/** Makes an authority and licenses with the commands of host/LICENSING.md as they stand there. */
export class LicenseShop implements AsyncDisposable {
  readonly #folder: string;
  readonly #command: string;

  private constructor(path: string, command: string) {
    this.#folder = path;
    this.#command = command;
  }

  static async open(): Promise<LicenseShop> {
    const text = await readFile(join(import.meta.dirname, '../../host/LICENSING.md'), 'utf8');
    const [authority = '', license = ''] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
    const shop = new LicenseShop(await mkdtemp(join(tmpdir(), 'tagway-licenses-')), license);
    await shop.#run(authority);
    return shop;
  }

  get authorityFile(): string {
    return join(this.#folder, 'authority.pem');
  }

  async license({
    type = 'retail',
    nodes = 10,
    nodeTags = 1000,
    hardwareToken = '',
  }: LicenseOptions): Promise<string> {
    await this.#run(this.#command, {
      LICENSE_TYPE: type,
      MAX_NODES: String(nodes),
      MAX_NODE_TAGS: String(nodeTags),
      HARDWARE_TOKEN: hardwareToken,
    });
    return readFile(join(this.#folder, 'license.pem'), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(commands: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await run('sh', ['-e', '-c', commands], { cwd: this.#folder, env: { ...process.env, ...env } });
  }
}
