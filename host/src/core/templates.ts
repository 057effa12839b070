import { ErrorCode, Limits, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { type Entry, newGroup } from './group-place.ts';
import { checkLicensed, checkNodeCount, tagLimit } from './license.ts';
import type { Node, Plugin, Template } from './model.ts';
import { byteLength, checkTemplateLengths } from './names.ts';
import { Pace } from './pace.ts';
import { nodeEntries } from './replacement.ts';
import type { State } from './state.ts';
import {
  checkTemplate,
  makeTemplate,
  type TemplateBody,
  templateEntries,
  templateKeys,
} from './template-drafts.ts';

/** Tags that the nodes of one call may have together: what is made in one step has to fit into memory more than once. */
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
        throw new Fault(ErrorCode.TEMPLATE_EXISTS, `There is a template "${body.name}" already.`);
      await this.#state.commit({ set: templateEntries(template) });
      this.#state.templates.set(template.name, template);
    });
  }

  /** Deletes one template. Rejects with TEMPLATE_NOT_FOUND. */
  async delete(name: string): Promise<void> {
    await this.#state.change(() => this.#delete([this.#state.template(name)]));
  }

  async deleteAll(): Promise<void> {
    await this.#state.change(() => this.#delete(this.list()));
  }

  /** Makes nodes with the groups and tags of templates, all or, when one is refused, none. They have no settings yet. */
  async instantiate(
    instances: readonly { readonly template: string; readonly node: string }[],
  ): Promise<void> {
    for (const { template, node } of instances) {
      checkTemplateLengths(template);
      if (node === '')
        throw new Fault(
          ErrorCode.NODE_NAME_EMPTY,
          'A node that is to be made of a template has an empty name.',
        );
      if (byteLength(node) > Limits.nodeName) {
        // The endpoint's table of codes has this one for a name that is too long.
        throw new Fault(ErrorCode.TEMPLATE_NAME_TOO_LONG, `The name of the new node is too long.`);
      }
    }
    await this.#state.change(async () => {
      const nodes = new Map<string, Node>();
      let tags = 0;
      for (const { template: name, node: nodeName } of instances) {
        const template = this.#state.template(name);
        tags += tagsOf(template);
        if (tags > instanceTagsMax) {
          throw new Fault(
            ErrorCode.BODY_INVALID,
            `The nodes of one call may have ${instanceTagsMax} tags together. Make them in several calls.`,
          );
        }
        const plugin = this.#state.templatePlugin(template);
        if (this.#state.nodes.has(nodeName) || nodes.has(nodeName))
          throw new Fault(ErrorCode.NODE_EXISTS, `There is a node "${nodeName}" already.`);
        this.#checkLicense(template, plugin, nodes.size);
        nodes.set(nodeName, await this.#instance(template, plugin, nodeName));
      }
      await this.#state.commit({ set: entriesOfAll(nodes.values()) });
      for (const node of nodes.values()) this.#state.nodes.set(node.name, node);
    });
  }

  #checkLicense(template: Template, plugin: Plugin, before: number): void {
    checkLicensed(this.#state, plugin);
    checkNodeCount(this.#state, this.#state.nodes.size + before + 1);
    if (tagsOf(template) > tagLimit(this.#state)) {
      throw new Fault(
        ErrorCode.LICENSE_MAX_TAGS,
        `The template "${template.name}" has more tags than the license allows for each node, ${tagLimit(this.#state)}.`,
      );
    }
  }

  async #delete(templates: readonly Template[]): Promise<void> {
    await this.#state.commit({ delete: keysOfAll(templates) });
    for (const { name } of templates) this.#state.templates.delete(name);
  }

  async #instance(template: Template, plugin: Plugin, name: string): Promise<Node> {
    const pace = new Pace();
    const node: Node = {
      id: this.#state.newId(),
      name,
      plugin,
      running: RunningState.INIT,
      settings: undefined,
      params: undefined,
      groups: new Map(),
      subscriptions: new Map(),
    };
    for (const { name: groupName, interval, tags } of template.groups.values()) {
      const group = newGroup(this.#state.newId(), node, groupName, interval);
      for (const tag of tags.values()) {
        group.tags.set(tag.name, { ...tag, id: this.#state.newId() });
        if (pace.isDue) await pace.rest();
      }
      node.groups.set(groupName, group);
    }
    return node;
  }
}

function tagsOf({ groups }: Template): number {
  return [...groups.values()].reduce((sum, { tags }) => sum + tags.size, 0);
}

function* entriesOfAll(nodes: Iterable<Node>): Generator<Entry> {
  for (const node of nodes) yield* nodeEntries(node);
}

function* keysOfAll(templates: readonly Template[]): Generator<string> {
  for (const template of templates) yield* templateKeys(template);
}
