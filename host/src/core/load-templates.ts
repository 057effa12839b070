import type { Template, TemplateGroup } from './model.ts';
import { idOf, isId, isTagRecord, isTemplateGroupRecord, isTemplateRecord } from './record-checks.ts';
import { tagOf } from './records.ts';
import type { State } from './state.ts';

/** Fills the templates of the state from records. Each call returns why a record cannot be used, or undefined. */
export class TemplateLoader {
  readonly #state: State;
  readonly #templates = new Map<number, Template>();
  readonly #groups = new Map<number, TemplateGroup>();

  constructor(state: State) {
    this.#state = state;
  }

  template(key: string, record: unknown): string | undefined {
    const id = idOf(key);
    if (!isId(id) || !isTemplateRecord(record)) return 'it is not a template';
    this.#state.seenId(id);
    const { name, plugin, pluginName } = record;
    if (this.#state.templates.has(name)) return `there is a template "${name}" already`;
    const template: Template = { id, name, plugin, pluginName, groups: new Map() };
    this.#templates.set(id, template);
    this.#state.templates.set(name, template);
    return undefined;
  }

  group(key: string, record: unknown): string | undefined {
    const id = idOf(key);
    if (!isId(id) || !isTemplateGroupRecord(record)) return 'it is not a group of a template';
    this.#state.seenId(id);
    const template = this.#templates.get(record.template);
    if (template === undefined) return 'its template is gone';
    const { name, interval } = record;
    if (template.groups.has(name)) return `its template has a group "${name}" already`;
    const group: TemplateGroup = { id, template, name, interval, tags: new Map() };
    this.#groups.set(id, group);
    template.groups.set(name, group);
    return undefined;
  }

  tag(key: string, record: unknown): string | undefined {
    const [, groupId, tagId] = key.split('/');
    const id = Number(tagId);
    if (!isId(id) || !isTagRecord(record)) return 'it is not a tag of a template';
    this.#state.seenId(id);
    const group = this.#groups.get(Number(groupId));
    if (group === undefined) return 'its group is gone';
    if (group.tags.has(record.name)) return `its group has a tag "${record.name}" already`;
    group.tags.set(record.name, tagOf(id, record));
    return undefined;
  }
}
