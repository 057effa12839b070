import type { GroupPace } from '@tagway/schemas';
import type { NodeProfile, Params, TagBody, TagGroup } from '../model.ts';
import type { SubscriptionCheck } from '../ports/ports.ts';

/** A node with all that belongs to it, as an import brings it. */
export interface NodeDraft {
  readonly name: string;
  /** The plugin's name. */
  readonly plugin: string;
  readonly params: Params | undefined;
  /** A node with params is stopped; otherwise it starts. */
  readonly isStopped: boolean;
  readonly groups: readonly GroupDraft[];
  /** Of a node that was made of a device profile. */
  readonly profile?: NodeProfile | undefined;
}

export interface GroupDraft {
  readonly name: string;
  /** Milliseconds. */
  readonly interval: number;
  /** Megabytes. Absent: 0. */
  readonly history?: number | undefined;
  readonly pace?: GroupPace | undefined;
  readonly tags: readonly TagBody[];
}

/** Groups as they are, to be made anew elsewhere. */
export function groupDrafts(groups: ReadonlyMap<string, TagGroup>): GroupDraft[] {
  return Array.from(groups.values(), ({ name, interval, history, pace, tags }) => ({
    name,
    interval,
    history,
    pace,
    tags: [...tags.values()],
  }));
}

export interface SubscriptionDraft extends SubscriptionCheck {
  readonly app: string;
}
