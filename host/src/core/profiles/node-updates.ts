import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, RunningState } from '@tagway/schemas';
import { checkLengths } from '../names.ts';
import type { Node, NodeProfile } from '../model.ts';
import type { Launches } from '../nodes/launches.ts';
import { checkCurrent, checkedSettings } from '../nodes/plugins.ts';
import { tagCount, tagLimit } from '../access/license.ts';
import { groupEntry, keys, nodeRecord, tagOf } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';
import type { GroupDraft } from '../tags/tag-draft.ts';
import { putAll } from '../tags/tag-plan.ts';
import { placeText } from './change-sentences.ts';
import {
  compareWithProfile,
  type GroupOutcome,
  type Place,
  type ProfileChange,
  type Side,
} from './profile-update.ts';
import type { Profiles } from './profiles.ts';

/** What somebody has decided about a place. */
export interface Decision extends Place {
  readonly take: Side;
}

/** What an update would do, or has done. */
export interface UpdatePlan {
  /** Versions of the profile. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly ProfileChange[];
  readonly notes: readonly Sentence[];
  /** Of the configuration before the update; absent where nothing was changed. */
  readonly snapshot?: string;
}

/** Brings nodes to what their profiles give now, without losing what people have changed. */
export class NodeUpdates {
  readonly #state: State;
  readonly #launches: Launches;
  readonly #profiles: Profiles;

  constructor(state: State, launches: Launches, profiles: Profiles) {
    this.#state = state;
    this.#launches = launches;
    this.#profiles = profiles;
  }

  /** Says what an update would do; a device that says itself what it has is asked again. */
  async plan(name: string): Promise<UpdatePlan> {
    checkLengths(name);
    const node = this.#state.node(name);
    const { profile, notes } = await this.#profiles.given(node);
    const before = remembered(node);
    const { changes } = compareWithProfile(node, before, profile, () => undefined);
    return { from: before.version, to: profile.version, changes, notes };
  }

  /**
   * Updates a node in one step, after a snapshot. Rejects with PROFILE_CONFLICTS when something that is asked about has no decision; nothing is
   * changed then.
   */
  async apply(name: string, decisions: readonly Decision[], condition?: Condition): Promise<UpdatePlan> {
    checkLengths(name);
    const node = this.#state.node(name);
    const { plugin } = node;
    const { profile, notes } = await this.#profiles.given(node);
    const decide = (place: Place): Side | undefined => decisions.find((one) => isSamePlace(one, place))?.take;
    const preview = compareWithProfile(node, remembered(node), profile, decide);
    const settings = preview.params && (await checkedSettings(this.#state, plugin, preview.params));
    const { plan, outcome } = await this.#state.change(async () => {
      if (!this.#state.has(node))
        throw new Refusal(ErrorCode.NODE_NOT_FOUND, sentence`The node "${name}" was deleted meanwhile.`);
      checkCurrent(this.#state, plugin);
      const before = remembered(node);
      const update = compareWithProfile(node, before, profile, decide);
      if (update.open.length > 0) throw undecided(node, update.open);
      if (!isDeepStrictEqual(update.params, preview.params))
        throw new Refusal(
          ErrorCode.BUSY,
          sentence`The settings of the node "${name}" were changed at this moment. Try again.`,
        );
      const { id: snapshot } = await this.#state.ports.snapshots.make('profile');
      const groups = update.groups.map((group) => this.#draftOf(group));
      this.#checkRoom(node, groups);
      const changed = settings === undefined || update.params === undefined ? {} : { params: update.params };
      const record = nodeRecord({ ...node, ...changed, profile });
      const intervals = update.groups.flatMap(({ name: group, interval }) => {
        const present = node.groups.get(group);
        return present === undefined || present.interval === interval ? [] : [{ present, interval }];
      });
      await putAll(this.#state, name, { groups }, [
        [keys.node(node.id), record],
        ...intervals.map(({ present, interval }) => groupEntry({ ...present, interval })),
      ]);
      for (const { present, interval } of intervals) {
        present.interval = interval;
        this.#state.ports.runtime.changed(present);
      }
      node.profile = profile;
      const isSet = 'params' in changed;
      if (isSet) Object.assign(node, { params: changed.params, settings });
      const isRunning = isSet && node.running === RunningState.RUNNING;
      const { changes } = update;
      return {
        plan: { from: before.version, to: profile.version, changes, notes, snapshot },
        outcome: isRunning ? this.#launches.start(node, RunningState.READY) : undefined,
      };
    }, condition);
    await outcome;
    return plan;
  }

  #draftOf({ name, interval, removed, changed, added }: GroupOutcome): GroupDraft {
    return {
      name,
      interval,
      pace: undefined,
      removed: new Set(removed),
      changed: new Map(changed),
      added: added.map((body) => tagOf(this.#state.newId(), body)),
    };
  }

  #checkRoom(node: Node, groups: readonly GroupDraft[]): void {
    const more = groups.reduce((sum, { added, removed }) => sum + added.length - removed.size, 0);
    if (tagCount(node) + more > tagLimit(this.#state))
      throw new Refusal(
        ErrorCode.LICENSE_MAX_TAGS,
        sentence`The license allows ${tagLimit(this.#state)} tags for each node.`,
      );
    for (const { name, removed } of groups) {
      const group = node.groups.get(name);
      if (group !== undefined && removed.size > 0 && !this.#state.ports.dialect.deletesSubscribedGroups)
        this.#state.links.checkUnread(group, new Set(Array.from(removed, (tag) => tag.name)));
    }
  }
}

/** Throws NODE_WITHOUT_PROFILE. */
function remembered({ name, profile }: Node): NodeProfile {
  if (profile !== undefined) return profile;
  throw new Refusal(
    ErrorCode.NODE_WITHOUT_PROFILE,
    sentence`The node "${name}" was not made of a device profile.`,
  );
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.group === other.group && one.tag === other.tag && one.setting === other.setting;
}

function undecided({ name }: Node, open: readonly ProfileChange[]): Refusal {
  const [first = { kind: 'conflict' as const }] = open;
  return new Refusal(
    ErrorCode.PROFILE_CONFLICTS,
    sentence`The node "${name}" is not changed, because somebody has to decide about ${open.length} differences first, the first of which is ${placeText(first)}. Say for each whether the profile or the node counts.`,
  );
}
