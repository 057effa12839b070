import type { NodeStateRecord } from '@tagway/schemas';

/** What a tab wants the values of: some tags of a group, or all of them. */
export interface Demand {
  readonly node: string;
  readonly group: string;
  readonly tags?: readonly string[];
}

/** A value as the gateway reads it, or why there is none. */
export interface Reading {
  readonly name: string;
  readonly value?: unknown;
  readonly error?: number;
  readonly message?: string;
}

/** From a tab to the hub. */
export type TabMessage =
  | { readonly kind: 'session'; readonly base: string; readonly token: string | undefined }
  | { readonly kind: 'demand'; readonly demands: readonly Demand[] }
  | { readonly kind: 'bye' };

/** `live`: events arrive. `polling`: the stream does not get through, so the hub asks. `lost`: neither, since `since`. */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'polling' | 'lost';
  /** Milliseconds since 1970, by this computer's clock: since when it is like this; of `lost`, when something arrived last. */
  readonly since: number;
}

/** From the hub to every tab. */
export type HubMessage =
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'refused'; readonly token: string }
  | {
      readonly kind: 'states';
      readonly full: boolean;
      readonly states: readonly NodeStateRecord[];
      readonly gone: readonly string[];
    }
  | {
      readonly kind: 'values';
      readonly full: boolean;
      readonly node: string;
      readonly group: string;
      /** Milliseconds since 1970, by the gateway's clock. */
      readonly time: number;
      readonly tags: readonly Reading[];
    }
  | {
      readonly kind: 'group';
      readonly node: string;
      readonly group: string;
      readonly error: number;
      readonly message: string;
    };
