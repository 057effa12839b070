import type { Registry } from '@tagway/schemas';
import type { Found, PackageFacts, Received, SignedVersion } from '../core/ports/registries.ts';
import { download } from './download.ts';
import { factsOf } from './facts.ts';
import { getObject } from './json-reply.ts';
import { search } from './search.ts';

/** Where packages are: a registry, or a mirror. Every call rejects with a fault. */
export interface Source {
  /** With the keys and the trust root that hold for it. */
  readonly registry: Registry;
  search(words: string, most: number, keyword?: string): Promise<Found>;
  facts(name: string): Promise<PackageFacts>;
  /** What it has as the list of attestations of a version; nothing of it was looked at. */
  attestations(version: SignedVersion): Promise<unknown>;
  /** An archive whose hash was not checked. */
  archive(version: SignedVersion, progress: (received: Received) => void): Promise<Buffer>;
}

/** Bytes of all attestations of a version. */
const mostAttestations = 4 << 20;

export function registrySource(registry: Registry, signal: AbortSignal): Source {
  return {
    registry,
    search: (words, most, keyword) => search(registry, words, most, signal, keyword),
    facts: (name) => factsOf(registry, name, signal),
    attestations: async ({ name, version }) => {
      const path = `-/npm/v1/attestations/${name.replace('/', '%2f')}@${version}`;
      return (await getObject(registry, path, mostAttestations, signal))?.['attestations'];
    },
    archive: (version, progress) => download(registry, version, progress, signal),
  };
}
