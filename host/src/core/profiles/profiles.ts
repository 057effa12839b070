import { ErrorCode, type Profile, profileLimits, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { meantSettings } from '../access/secrets.ts';
import { checkLicensed, checkNodeCount } from '../access/license.ts';
import type { Node, NodeProfile, Params } from '../model.ts';
import { checkNewName } from '../names.ts';
import type { Launches } from '../nodes/launches.ts';
import { makeNode } from '../nodes/node-factory.ts';
import { checkTryable } from '../nodes/node-test.ts';
import { checkCurrent, checkedSettings } from '../nodes/plugins.ts';
import type { TrialRead, TrialStep } from '../ports/ports.ts';
import type {
  InstalledProfile,
  ProfileArchive,
  ProfileStore,
  ProfileSummary,
  StagedProfile,
} from '../ports/profiles.ts';
import type { State } from '../records/state.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';
import { checkGroupBody } from '../tags/groups.ts';
import { checkBatch } from '../tags/tag-batch.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { nodeEntries } from '../transfer/replacement.ts';
import { discoverTags } from './discovery.ts';
import { nodeProfile } from './node-profile.ts';
import { chosen, type PluginChoice, settingsOf } from './plugin-choice.ts';
import { examine, type ProfileFindings } from './profile-check.ts';
import { groupsOf, type Parameters, parametersOf, sampleParameters } from './profile-groups.ts';
import { checkedProfile } from './profile-rules.ts';
import { readValues, type ShownValue } from './shown-values.ts';

/** What somebody says of the device that a node is to be made for. */
export interface ProfileWish {
  readonly profile: string;
  /** The name of one of its plugins; absent: the first that is installed. */
  readonly plugin?: string | undefined;
  /** Settings beside those of the profile. */
  readonly params: Params;
  readonly parameters?: Parameters | undefined;
}

/** What a device answers before a node is made. */
export interface ProfileTrial {
  readonly steps: readonly TrialStep[];
  readonly groups: readonly GroupDraft[];
  readonly values: readonly ShownValue[];
  readonly notes: readonly Sentence[];
}

/** A wish with everything that follows from it. */
interface Prepared {
  readonly installed: InstalledProfile;
  readonly choice: PluginChoice;
  readonly values: Parameters;
  /** As they will be stored. */
  readonly params: Params;
  readonly settings: Params;
}

/** Device profiles: groups and tags of devices, found by the name of the device. A node that was made of one remembers what it was given. */
export class Profiles {
  readonly #state: State;
  readonly #launches: Launches;
  readonly #store: ProfileStore;

  constructor(state: State, launches: Launches, store: ProfileStore) {
    this.#state = state;
    this.#launches = launches;
    this.#store = store;
  }

  /** By their names. */
  async list(): Promise<ProfileSummary[]> {
    const profiles = await this.#store.list();
    return [...profiles.values()].sort((one, other) => one.name.localeCompare(other.name, 'en'));
  }

  /** Rejects with PROFILE_NOT_FOUND. */
  async get(id: string): Promise<InstalledProfile> {
    const found = await this.#store.read(id);
    if (found !== undefined) return found;
    throw new Refusal(
      ErrorCode.PROFILE_NOT_FOUND,
      sentence`There is no device profile "${id.slice(0, 100)}".`,
    );
  }

  /** The groups of a profile, as they are where nothing was given. */
  groupsOf(profile: Profile): GroupDraft[] {
    return groupsOf(profile, sampleParameters(profile));
  }

  /** The nodes that were made of a profile. */
  nodesOf(id: string): Node[] {
    return [...this.#state.nodes.values()].filter(({ profile }) => profile?.id === id);
  }

  /** Installs a profile, in the place of the one of its id. `check` may refuse it once it is unpacked. Rejects with PROFILE_INVALID. */
  async install(archive: ProfileArchive, check?: (staged: StagedProfile) => Promise<void>): Promise<Profile> {
    const staged = await this.#store.unpack(archive);
    try {
      await check?.(staged);
      const { profile } = staged.files;
      const installed = await this.#store.list();
      if (!installed.has(profile.id) && installed.size >= profileLimits.installed)
        throw new Refusal(
          ErrorCode.PROFILE_INVALID,
          sentence`The gateway has ${profileLimits.installed} device profiles, and takes no more.`,
        );
      await staged.place();
      return profile;
    } finally {
      await staged.discard();
    }
  }

  /** Nodes that were made of it stay as they are. Rejects with PROFILE_NOT_FOUND or PROFILE_SYSTEM. */
  async delete(id: string): Promise<void> {
    const summary = (await this.#store.list()).get(id);
    if (summary === undefined) await this.get(id);
    if (summary?.isSystem === true)
      throw new Refusal(
        ErrorCode.PROFILE_SYSTEM,
        sentence`The device profile "${summary.name}" comes with the gateway and cannot be deleted.`,
      );
    await this.#store.remove(id);
  }

  /** What is wrong with a profile. Rejects with PROFILE_INVALID when its form is. */
  async check(profile: unknown): Promise<ProfileFindings> {
    return await examine(this.#state, checkedProfile(profile));
  }

  /** Asks a device, with a profile that no node has yet. Nothing of it is stored. */
  async test(wish: ProfileWish): Promise<ProfileTrial> {
    const prepared = await this.#prepare(wish, '');
    let groups: readonly GroupDraft[] = [];
    let notes: readonly Sentence[] = [];
    let values: readonly ShownValue[] = [];
    const steps = await this.#ask(prepared, async (read) => {
      ({ groups, notes } = await this.#groups(prepared, read));
      values = await readValues(groups, read);
    });
    return { steps, groups, notes, values };
  }

  /** Makes a node with the groups and tags of a profile, and starts it. Resolves with what was passed over of what the device has. */
  async makeNode(name: string, wish: ProfileWish): Promise<readonly Sentence[]> {
    checkNewName(name);
    this.#checkFree(name);
    const prepared = await this.#prepare(wish, name);
    const { installed, choice, values, params, settings } = prepared;
    const { plugin, entry } = choice;
    checkLicensed(this.#state, plugin);
    const { groups, notes } = await this.groupsFor(prepared);
    await this.#checkGroups(choice, groups);
    const { outcome } = await this.#state.change(async () => {
      this.#checkFree(name);
      checkCurrent(this.#state, plugin);
      checkNodeCount(this.#state, this.#state.nodes.size + 1);
      const profile = nodeProfile(installed, values, entry.settings ?? {}, groups);
      const draft = { name, plugin, params, settings, isStopped: false, groups, profile };
      const node = await makeNode(this.#state, draft);
      this.#state.links.checkCircles([...this.#state.nodes.values(), node]);
      await this.#state.commit({ set: nodeEntries(node) });
      this.#state.nodes.set(name, node);
      return { outcome: this.#launches.start(node, RunningState.READY) };
    });
    await outcome;
    return notes;
  }

  /** What a profile gives a node now. Rejects with PROFILE_NOT_FOUND, NODE_WITHOUT_PROFILE, or what a device is asked in vain with. */
  async given(node: Node): Promise<{
    readonly profile: NodeProfile;
    readonly notes: readonly Sentence[];
  }> {
    const before = node.profile;
    if (before === undefined)
      throw new Refusal(
        ErrorCode.NODE_WITHOUT_PROFILE,
        sentence`The node "${node.name}" was not made of a device profile.`,
      );
    const installed = await this.get(before.id);
    const choice = chosen(installed.profile, this.#state.ports.plugins, node.plugin.name);
    const values = parametersOf(installed.profile, known(installed.profile, before.parameters));
    const settings = node.settings ?? {};
    const prepared = { installed, choice, values, params: node.params ?? {}, settings };
    const { groups, notes } = await this.groupsFor(prepared);
    await this.#checkGroups(choice, groups);
    return { profile: nodeProfile(installed, values, choice.entry.settings ?? {}, groups), notes };
  }

  /** The groups of a profile; a device that says what it has is asked, and its silence is the reason of a rejection. */
  async groupsFor(
    prepared: Prepared,
  ): Promise<{ readonly groups: readonly GroupDraft[]; readonly notes: readonly Sentence[] }> {
    const { profile } = prepared.installed;
    if (profile.discover === undefined) return { groups: groupsOf(profile, prepared.values), notes: [] };
    let found: { readonly groups: readonly GroupDraft[]; readonly notes: readonly Sentence[] } | undefined;
    const steps = await this.#ask(prepared, async (read) => {
      found = await this.#groups(prepared, read);
    });
    if (found !== undefined) return found;
    const last = steps.at(-1);
    throw new Refusal(
      ErrorCode.DISCOVERY_FAILED,
      sentence`The device has to be reached to say what it has. ${last?.message ?? ''}`,
    );
  }

  async #groups(
    { installed: { profile }, values }: Prepared,
    read: TrialRead,
  ): Promise<{
    readonly groups: readonly GroupDraft[];
    readonly notes: readonly Sentence[];
  }> {
    const { groups, notes } = await discoverTags(profile, values, read);
    return { groups: [...groupsOf(profile, values), ...groups], notes };
  }

  #ask(
    { choice: { plugin }, settings }: Prepared,
    visit: (read: TrialRead) => Promise<void>,
  ): Promise<readonly TrialStep[]> {
    checkTryable(this.#launches.isSafe, plugin, settings);
    return this.#state.ports.runtime.tryNode(plugin, { name: `a test of ${plugin.name}`, settings, visit });
  }

  /** `node`: the name that the node is to have. */
  async #prepare(
    { profile: id, plugin: name, params: given, parameters }: ProfileWish,
    node: string,
  ): Promise<Prepared> {
    const installed = await this.get(id);
    const choice = chosen(installed.profile, this.#state.ports.plugins, name);
    const values = parametersOf(installed.profile, parameters);
    const params = meantSettings(choice.plugin, settingsOf(choice, given), node);
    const settings = await checkedSettings(this.#state, choice.plugin, params);
    return { installed, choice, values, params, settings };
  }

  async #checkGroups({ plugin }: PluginChoice, groups: readonly GroupDraft[]): Promise<void> {
    for (const group of groups) {
      checkGroupBody(group);
      const { error, message } = await checkBatch(this.#state, plugin, group.tags);
      if (error !== ErrorCode.SUCCESS)
        throw message === undefined ? new Fault(error) : new Refusal(error, message);
    }
  }

  #checkFree(name: string): void {
    if (this.#state.nodes.has(name))
      throw new Refusal(ErrorCode.NODE_EXISTS, sentence`There is a node "${name}" already.`);
  }
}

/** Those of the parameters that a profile still has, within its bounds. */
function known({ parameters = [] }: Profile, given: Parameters): Parameters {
  return Object.fromEntries(
    parameters.flatMap(({ name, minimum, maximum }) => {
      const value = given[name];
      return value !== undefined && value >= minimum && value <= maximum ? [[name, value] as const] : [];
    }),
  );
}
