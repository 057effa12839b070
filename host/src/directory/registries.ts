import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Registry, TrustRenewal } from '@tagway/schemas';
import type { Registries, RegistrySession, RenewedTrust } from '../core/ports/registries.ts';
import { makeFolder } from '../core/system/make-folder.ts';
import { defaultRegistry } from './default-registry.ts';
import { readNpmrc } from './npmrc.ts';
import { RenewedTrustFile } from './renewed-trust.ts';
import { RegistryProcess } from './session.ts';

interface Options {
  /** Of two registries for one scope, that of the file before counts. */
  readonly files: readonly string[];
  /** Reads the public keys whose signatures of mirrors count. */
  readonly trusted: () => Promise<readonly string[]>;
  /** The folder of what was renewed. It need not exist. */
  readonly folder: string;
  readonly only?: Registry | undefined;
}

/** Registries as npm has them, named in files like npm's `.npmrc`. */
export class NpmRegistries implements Registries {
  readonly byDefault = defaultRegistry;
  readonly only: Registry | undefined;
  trustRenewal: Pick<TrustRenewal, 'url' | 'root'> = {};
  readonly #files: readonly string[];
  readonly #trusted: () => Promise<readonly string[]>;
  readonly #folder: string;
  readonly #renewed: RenewedTrustFile;

  constructor({ files, trusted, folder, only }: Options) {
    this.#files = files;
    this.#trusted = trusted;
    this.#folder = folder;
    this.#renewed = new RenewedTrustFile(join(folder, 'trust.json'));
    this.only = only;
  }

  async fromFile(): Promise<readonly Registry[]> {
    const all: Registry[] = [];
    for (const file of this.#files)
      for (const one of await readNpmrc(file))
        if (!all.some(({ scope }) => scope === one.scope)) all.push(one);
    return all;
  }

  open(signal: AbortSignal): RegistrySession {
    return this.#open(signal);
  }

  async trustTime(): Promise<number | undefined> {
    return (await this.#read())?.time;
  }

  async renewTrust({ proxy, ca }: Registry, signal: AbortSignal): Promise<boolean> {
    const { url = '', root = '' } = this.trustRenewal;
    const registry = { url, ...(proxy !== undefined && { proxy }), ...(ca !== undefined && { ca }) };
    const before = await this.#read();
    // What a gateway that was killed has left in it is removed as well.
    await rm(join(this.#folder, 'work'), { recursive: true, force: true });
    await makeFolder(join(this.#folder, 'work'), 0o700);
    const folder = await mkdtemp(join(this.#folder, 'work', 'renewal-'));
    try {
      await using session = this.#open(signal);
      const files = await session.renew(registry, root, folder);
      await this.#renewed.write({ ...files, root: hashOf(root), time: Date.now() });
      return JSON.stringify(files.targets) !== JSON.stringify(before?.targets);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #open(signal: AbortSignal): RegistryProcess {
    return new RegistryProcess(signal, this.#trusted, () => this.#read());
  }

  /** What was renewed by the root that holds now. */
  async #read(): Promise<RenewedTrust | undefined> {
    const read = await this.#renewed.read();
    return read?.root === hashOf(this.trustRenewal.root) ? read : undefined;
  }
}

/** Empty for the root that comes with the gateway. */
function hashOf(root = ''): string {
  return root === '' ? '' : createHash('sha256').update(root).digest('hex');
}
