import type { Registry, SentenceRecord } from '@tagway/schemas';
import type {
  Collected,
  FetchedArchive,
  Found,
  PackageFacts,
  Received,
  RenewedTrust,
  SignedVersion,
  Verified,
} from '../core/ports/registries.ts';

/** What renewed keys and a renewed trust root are measured by. */
export type Renewed = Omit<RenewedTrust, 'time'>;

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
  | { readonly op: 'archive'; readonly registry: Registry; readonly version: SignedVersion }
  | {
      readonly op: 'renew';
      /** The address of a repository of keys, empty for that of npm's library, and the way there. */
      readonly registry: Registry;
      /** The text of its root, empty for the one that comes with the gateway. */
      readonly root: string;
      /** An empty folder for its files. */
      readonly folder: string;
    };

/** `trusted`: of a mirror, the public keys whose signatures of its index count, PEM. `renewed`: what takes the place of what comes with the gateway. */
export type Numbered = Question & {
  readonly id: number;
  readonly trusted: readonly string[];
  readonly renewed?: Renewed | undefined;
};

/** The files of a repository of keys, all of which it vouches for. */
export type RenewedFiles = Pick<RenewedTrust, 'metadata' | 'targets'>;

/** What it answers to the question of this number; progress comes any number of times before. */
export type Answer = { readonly id: number } & (
  | { readonly result: Found | PackageFacts | Verified | Collected | FetchedArchive | RenewedFiles }
  | { readonly fault: { readonly code: number; readonly reason: SentenceRecord | string } }
  | { readonly progress: Received }
);
