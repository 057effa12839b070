import type { NodeStateRecord } from '@tagway/schemas';

/** The tags whose values a tab shows: some tags of a group, or all of them. */
export interface Demand {
  readonly node: string;
  readonly group: string;
  readonly tags?: readonly string[];
}

/** The value of a tag, or why there is none. */
export interface TagValue {
  readonly name: string;
  readonly value?: unknown;
  readonly error?: number;
  readonly message?: string;
  /** Since when it is as it is, in milliseconds since 1970 by the gateway's clock; absent where that is not known. */
  readonly since?: number;
  /** It may have been so for longer. */
  readonly at_least?: boolean;
}

/** From a tab to the hub. */
export type TabMessage =
  | { readonly kind: 'session'; readonly base: string; readonly token: string | undefined }
  | { readonly kind: 'demand'; readonly demands: readonly Demand[] }
  | { readonly kind: 'bye' };

/** `live`: a stream sends events. `polling`: streams are blocked, so the hub polls. `lost`: the gateway does not answer. */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'polling' | 'lost';
  /** When the state began, in milliseconds since 1970 by this computer's clock; for `lost`, when the last message arrived. */
  readonly since: number;
}

interface States {
  readonly states: readonly NodeStateRecord[];
  /** Names of the nodes that were deleted. */
  readonly gone: readonly string[];
  /** These are the states of all nodes, not only of those that changed. */
  readonly full: boolean;
}

interface Values {
  readonly node: string;
  readonly group: string;
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly time: number;
  /** How far the gateway's clock is ahead of this computer's, in milliseconds; absent while that is not known. */
  readonly ahead?: number;
  readonly tags: readonly TagValue[];
  /** These are all wanted tags of the group, not only those that changed. */
  readonly full: boolean;
}

/** Why a group has no values. */
interface GroupFault {
  readonly node: string;
  readonly group: string;
  readonly error: number;
  readonly message: string;
}

type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

/** An event of the gateway's stream; an absent member is empty or false. */
export type StreamEvent =
  | { readonly event: 'hello'; readonly data: { readonly stream: string; readonly time: number } }
  | { readonly event: 'states'; readonly data: Optional<States, 'full' | 'gone'> }
  | { readonly event: 'values'; readonly data: Optional<Values, 'full'> }
  | { readonly event: 'group'; readonly data: GroupFault }
  | { readonly event: 'beat'; readonly data: { readonly time: number } }
  | { readonly event: 'end'; readonly data: object };

/** From the hub to every tab. */
export type HubMessage =
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'refused'; readonly token: string }
  | ({ readonly kind: 'states' } & States)
  | ({ readonly kind: 'values' } & Values)
  | ({ readonly kind: 'group' } & GroupFault);
