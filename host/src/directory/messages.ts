import type { Registry, SentenceRecord } from '@tagway/schemas';
import type {
  Collected,
  FetchedArchive,
  Found,
  PackageFacts,
  Received,
  SignedVersion,
  Verified,
} from '../core/ports/registries.ts';

/** What the process that asks registries is asked. */
export type Question =
  | {
      readonly op: 'search';
      readonly registry: Registry;
      readonly words: string;
      readonly most: number;
      readonly keyword?: string | undefined;
    }
  | { readonly op: 'package'; readonly registry: Registry; readonly name: string }
  | { readonly op: 'verify'; readonly registry: Registry; readonly version: SignedVersion }
  | { readonly op: 'collect'; readonly registry: Registry; readonly version: SignedVersion }
  | { readonly op: 'archive'; readonly registry: Registry; readonly version: SignedVersion };

/** `trusted`: of a mirror, the public keys whose signatures of its index count, PEM. */
export type Numbered = Question & { readonly id: number; readonly trusted: readonly string[] };

/** What it answers to the question of this number; progress comes any number of times before. */
export type Answer = { readonly id: number } & (
  | { readonly result: Found | PackageFacts | Verified | Collected | FetchedArchive }
  | { readonly fault: { readonly code: number; readonly reason: SentenceRecord | string } }
  | { readonly progress: Received }
);
