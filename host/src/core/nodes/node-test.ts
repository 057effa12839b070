import { ErrorCode, NodeType, RunningState } from '@tagway/schemas';
import type { TagDraft } from '@tagway/sdk';
import type { Launches } from './launches.ts';
import type { Node, Params, Plugin } from '../model.ts';
import { checkedSettings, pluginNamed, requirePlugin } from './plugins.ts';
import type { TrialStep } from '../ports/ports.ts';
import { meantSettings } from '../access/secrets.ts';
import type { State } from '../records/state.ts';
import { checkTag, longestAddress } from '../tags/tag-check.ts';
import { reasonOf, Refusal, sentence } from '../system/sentence.ts';

/** Settings to try. */
export interface NodeTestBody {
  /** The plugin's name. */
  readonly plugin: string;
  readonly params: Params;
  /** The node that they are for, if it exists: a mask in them stands for its stored secret. */
  readonly node?: string | undefined;
  /** To be read, once the device is reached. */
  readonly tag?: TagDraft | undefined;
}

/** Tries whether a device, or the server of an app, answers with settings that no node has yet. Nothing of the test is stored. */
export class NodeTest {
  readonly #state: State;
  readonly #launches: Launches;

  constructor(state: State, launches: Launches) {
    this.#state = state;
    this.#launches = launches;
  }

  /**
   * The steps that were taken, of which the last one failed if any did. Rejects with NODE_SETTING_INVALID, and with
   * PLUGIN_TYPE_UNSUPPORTED for what cannot be tried.
   */
  async run({ plugin: pluginName, params, node: name, tag }: NodeTestBody): Promise<readonly TrialStep[]> {
    const { runtime } = this.#state.ports;
    const plugin = pluginNamed(this.#state, pluginName);
    requirePlugin(plugin);
    const node = name === undefined ? undefined : this.#state.node(name);
    const stored = node?.plugin.id === plugin.id ? node.params : undefined;
    const meant = meantSettings(plugin, params, node?.name ?? '', stored);
    const settings = await checkedSettings(this.#state, plugin, meant);
    if (plugin.nodeType === NodeType.APP) return await this.#tryApp(plugin, settings, name);
    checkTryable(this.#launches.isSafe, plugin, settings);
    const holder = this.#holderOfLine(plugin, settings);
    if (holder !== undefined) return [holder];
    const refusal =
      tag &&
      (checkTag(tag, longestAddress(this.#state.ports.dialect, plugin)) ??
        (await runtime.checkTags(plugin, [tag], settings))[0]);
    const asked = refusal === undefined ? tag : undefined;
    const steps = await runtime.tryNode(plugin, { name: `a test of ${plugin.name}`, settings, tag: asked });
    const last = steps.at(-1);
    if (last?.ok === false) return [...steps.slice(0, -1), this.#explained(last, node)];
    if (refusal === undefined) return steps;
    return [...steps, { step: 'read', ok: false, ms: 0, error: refusal.code, message: reasonOf(refusal) }];
  }

  async #tryApp(plugin: Plugin, settings: Params, node: string | undefined): Promise<readonly TrialStep[]> {
    checkSafe(this.#launches.isSafe);
    const name = node ?? `a test of ${plugin.name}`;
    const steps = await this.#state.ports.runtime.tryConnection(plugin, { name, settings });
    if (steps !== undefined) return steps;
    throw new Refusal(
      ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
      sentence`The plugin "${plugin.name}" tries no connections before its settings are saved. Save them, and the state of the node says how far it comes.`,
    );
  }

  /** Nodes of one plugin share a serial line; what another plugin has open cannot be used meanwhile. */
  #holderOfLine(plugin: Plugin, settings: Params): TrialStep | undefined {
    const lines = new Set(linesOf(settings));
    for (const node of this.#state.nodes.values()) {
      if (node.plugin.id === plugin.id || node.running !== RunningState.RUNNING) continue;
      const line = linesOf(node.settings ?? {}).find((one) => lines.has(one));
      if (line === undefined) continue;
      const message = sentence`The node "${node.name}" of the plugin "${node.plugin.name}" holds the line ${line}. Stop that node for as long as this is tried.`;
      return { step: 'connect', ok: false, ms: 0, error: ErrorCode.BUSY, message };
    }
    return undefined;
  }

  /** Adds a hint: many devices take one connection only, and the running node may hold it. */
  #explained(step: TrialStep, node: Node | undefined): TrialStep {
    if (node === undefined || step.step === 'read' || node.running !== RunningState.RUNNING) return step;
    return {
      ...step,
      message: sentence`${step.message ?? ''} The node "${node.name}" runs: if the device takes one connection only, stop the node and try again.`,
    };
  }
}

/** Throws NODE_NOT_READY where no node runs, and PLUGIN_TYPE_UNSUPPORTED for settings with which the device is waited for. */
export function checkTryable(isSafe: boolean, { settingsSchema }: Plugin, settings: Params): void {
  checkSafe(isSafe);
  if (listens(settingsSchema, settings))
    throw new Refusal(
      ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
      sentence`With these settings the gateway waits for the device to connect, which cannot be tried. Save them, and look at the state of the node.`,
    );
}

function checkSafe(isSafe: boolean): void {
  if (isSafe)
    throw new Refusal(
      ErrorCode.NODE_NOT_READY,
      sentence`No connection is tried, because the gateway was started with --safe. Start it without that.`,
    );
}

interface Option {
  readonly const: unknown;
  readonly 'x-listens'?: boolean;
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly oneOf?: readonly Option[] }>>;
  readonly allOf?: readonly { readonly then?: Schema }[];
}

/** Whether a setting has a value with which the driver waits for its device to connect. */
function listens(schema: Schema, settings: Params): boolean {
  const { properties = {}, allOf = [] } = schema;
  return (
    Object.entries(properties).some(([name, { oneOf = [] }]) =>
      oneOf.some((option) => option['x-listens'] === true && option.const === settings[name]),
    ) || allOf.some(({ then = {} }) => listens(then, settings))
  );
}

/** Names of serial ports among the settings: paths, or names as COM3. */
function linesOf(settings: Params): string[] {
  return Object.values(settings).filter(
    (value): value is string => typeof value === 'string' && /^(\/|COM\d)/.test(value),
  );
}
