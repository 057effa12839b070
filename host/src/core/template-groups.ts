import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { checkInterval, type GroupChange, rekey } from './groups.ts';
import type { Template, TemplateGroup } from './model.ts';
import { checkTemplateLengths } from './names.ts';
import { keys, templateGroupRecord } from './records.ts';
import type { State } from './state.ts';
import { templateGroupKeys } from './templates.ts';

export class TemplateGroups {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** In the order of creation. */
  list(template: string): TemplateGroup[] {
    return [...this.#state.template(template).groups.values()];
  }

  async add(templateName: string, name: string, interval: number): Promise<void> {
    checkTemplateLengths(templateName, name);
    checkInterval(interval);
    await this.#state.change(async () => {
      const template = this.#state.template(templateName);
      checkFree(template, name);
      const group = { id: this.#state.newId(), template, name, interval, tags: new Map() };
      await this.#state.commit({ set: [[keys.templateGroup(group.id), templateGroupRecord(group)]] });
      template.groups.set(name, group);
    });
  }

  async update(template: string, name: string, { newName = name, interval }: GroupChange): Promise<void> {
    checkTemplateLengths(template, name, newName);
    if (interval !== undefined) checkInterval(interval);
    await this.#state.change(async () => {
      const group = this.#state.templateGroup(template, name);
      if (newName !== name) checkFree(group.template, newName);
      const next = { ...group, name: newName, interval: interval ?? group.interval };
      if (next.name === group.name && next.interval === group.interval) return;
      await this.#state.commit({ set: [[keys.templateGroup(group.id), templateGroupRecord(next)]] });
      group.name = next.name;
      group.interval = next.interval;
      rekey(group.template.groups);
    });
  }

  async delete(template: string, name: string): Promise<void> {
    checkTemplateLengths(template, name);
    await this.#state.change(async () => {
      const group = this.#state.templateGroup(template, name);
      await this.#state.commit({ delete: templateGroupKeys(group) });
      group.template.groups.delete(name);
    });
  }
}

function checkFree(template: Template, name: string): void {
  if (template.groups.has(name)) {
    throw new Fault(ErrorCode.GROUP_EXISTS, `The template "${template.name}" has a group "${name}" already.`);
  }
}
