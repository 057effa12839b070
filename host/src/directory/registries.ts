import type { Registry } from '@tagway/schemas';
import type { Registries, RegistrySession } from '../core/ports/registries.ts';
import { defaultRegistry } from './default-registry.ts';
import { readNpmrc } from './npmrc.ts';
import { RegistryProcess } from './session.ts';

/** Registries as npm has them, named in files like npm's `.npmrc`. */
export class NpmRegistries implements Registries {
  readonly byDefault = defaultRegistry;
  readonly only: Registry | undefined;
  readonly #files: readonly string[];
  readonly #trusted: () => Promise<readonly string[]>;

  /** Of two registries for one scope, that of the file before counts. `trusted` reads the public keys whose signatures of mirrors count. */
  constructor(files: readonly string[], trusted: () => Promise<readonly string[]>, only?: Registry) {
    this.#files = files;
    this.#trusted = trusted;
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
    return new RegistryProcess(signal, this.#trusted);
  }
}
