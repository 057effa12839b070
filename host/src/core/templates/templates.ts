import { ErrorCode, Limits } from '@tagway/schemas';
import { checkLicensed, checkNodeCount, tagCount, tagLimit } from '../access/license.ts';
import type { Node, Plugin, Template } from '../model.ts';
import { checkTemplateLengths } from '../names.ts';
import { type CheckedNode, makeNode } from '../nodes/node-factory.ts';
import { groupDrafts } from '../transfer/drafts.ts';
import { nodeEntries } from '../transfer/replacement.ts';
import type { Entry } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import {
  checkTemplate,
  makeTemplate,
  type TemplateBody,
  templateEntries,
  templateKeys,
} from './template-drafts.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Tags that the nodes of one call may have together: they are in memory several times while they are made in one step. */
const instanceTagsMax = 200_000;

/** Stored definitions of the groups and tags of driver nodes. A node that was made from one has no tie to it. */
export class Templates {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** In the order of creation. */
  list(): Template[] {
    return [...this.#state.templates.values()];
  }

  /** Throws TEMPLATE_NOT_FOUND. */
  get(name: string): Template {
    return this.#state.template(name);
  }

  /** The name that the plugin of a template has now, or had when it was there. */
  pluginName({ plugin, pluginName }: Template): string {
    return this.#state.ports.plugins.byId(plugin)?.name ?? pluginName;
  }

  /** Adds a template as a whole; when anything about it is refused, nothing. */
  async add(body: TemplateBody): Promise<void> {
    const checked = await checkTemplate(this.#state, body);
    await this.#state.change(async () => {
      const template = await makeTemplate(this.#state, checked);
      if (this.#state.templates.has(body.name))
        throw new Refusal(ErrorCode.TEMPLATE_EXISTS, sentence`There is a template "${body.name}" already.`);
      await this.#state.commit({ set: templateEntries(template) });
      this.#state.templates.set(template.name, template);
    });
  }

  /** Deletes one template. Rejects with TEMPLATE_NOT_FOUND. */
  async delete(name: string, condition?: Condition): Promise<void> {
    await this.#state.change(() => this.#delete([this.#state.template(name)]), condition);
  }

  async deleteAll(condition?: Condition): Promise<void> {
    await this.#state.change(() => this.#delete(this.list()), condition);
  }

  /** Makes nodes with the groups and tags of templates, all or, when one is refused, none. They have no settings yet. */
  async instantiate(
    instances: readonly { readonly template: string; readonly node: string }[],
    condition?: Condition,
  ): Promise<void> {
    for (const { template, node } of instances) {
      checkTemplateLengths(template);
      if (node === '')
        throw new Refusal(
          ErrorCode.NODE_NAME_EMPTY,
          sentence`A node that is to be made of a template has an empty name.`,
        );
      if (Buffer.byteLength(node) > Limits.nodeName) {
        // The endpoint's table of codes has this one for a name that is too long.
        throw new Refusal(ErrorCode.TEMPLATE_NAME_TOO_LONG, sentence`The name of the new node is too long.`);
      }
    }
    await this.#state.change(async () => {
      const nodes = new Map<string, Node>();
      let tags = 0;
      for (const { template: name, node: nodeName } of instances) {
        const template = this.#state.template(name);
        tags += tagCount(template);
        if (tags > instanceTagsMax) {
          throw new Refusal(
            ErrorCode.BODY_INVALID,
            sentence`The nodes of one call may have ${instanceTagsMax} tags together. Make them in several calls.`,
          );
        }
        const plugin = this.#state.templatePlugin(template);
        if (this.#state.nodes.has(nodeName) || nodes.has(nodeName))
          throw new Refusal(ErrorCode.NODE_EXISTS, sentence`There is a node "${nodeName}" already.`);
        this.#checkLicense(template, plugin, nodes.size);
        nodes.set(nodeName, await makeNode(this.#state, instanceOf(template, plugin, nodeName)));
      }
      this.#state.links.checkCircles([...this.#state.nodes.values(), ...nodes.values()]);
      await this.#state.commit({ set: entriesOfAll(nodes.values()) });
      for (const node of nodes.values()) this.#state.nodes.set(node.name, node);
    }, condition);
  }

  #checkLicense(template: Template, plugin: Plugin, before: number): void {
    checkLicensed(this.#state, plugin);
    checkNodeCount(this.#state, this.#state.nodes.size + before + 1);
    if (tagCount(template) > tagLimit(this.#state)) {
      throw new Refusal(
        ErrorCode.LICENSE_MAX_TAGS,
        sentence`The template "${template.name}" has more tags than the license allows for each node, ${tagLimit(this.#state)}.`,
      );
    }
  }

  async #delete(templates: readonly Template[]): Promise<void> {
    await this.#state.commit({ delete: keysOfAll(templates) });
    for (const { name } of templates) this.#state.templates.delete(name);
  }
}

/** A node with the groups and tags of a template, and without settings. */
function instanceOf({ groups }: Template, plugin: Plugin, name: string): CheckedNode {
  return {
    name,
    plugin,
    params: undefined,
    settings: undefined,
    isStopped: false,
    groups: groupDrafts(groups),
  };
}

function* entriesOfAll(nodes: Iterable<Node>): Generator<Entry> {
  for (const node of nodes) yield* nodeEntries(node);
}

function* keysOfAll(templates: readonly Template[]): Generator<string> {
  for (const template of templates) yield* templateKeys(template);
}
