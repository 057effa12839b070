import type { Registry } from '@tagway/schemas';
import type { Registries, RegistrySession } from '../core/ports/registries.ts';
import { defaultRegistry } from './default-registry.ts';
import { readNpmrc } from './npmrc.ts';
import { RegistryProcess } from './session.ts';

/** Registries as npm has them, named in files like npm's `.npmrc`. */
export class NpmRegistries implements Registries {
  readonly byDefault = defaultRegistry;
  readonly #files: readonly string[];

  /** Of two registries for one scope, that of the file before counts. */
  constructor(files: readonly string[]) {
    this.#files = files;
  }

  async fromFile(): Promise<readonly Registry[]> {
    const all: Registry[] = [];
    for (const file of this.#files)
      for (const one of await readNpmrc(file))
        if (!all.some(({ scope }) => scope === one.scope)) all.push(one);
    return all;
  }

  open(signal: AbortSignal): RegistrySession {
    return new RegistryProcess(signal);
  }
}
