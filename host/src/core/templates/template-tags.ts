import { GroupTags } from '../tags/group-tags.ts';
import type { TemplateGroup } from '../model.ts';
import { checkTagLength, checkTemplateLengths } from '../names.ts';
import type { Condition } from '../records/state.ts';

/** The tags of templates. */
export class TemplateTags extends GroupTags<TemplateGroup> {
  /** Deletes the tags that exist; names without a tag are no error. */
  async delete(
    template: string,
    groupName: string,
    names: readonly string[],
    condition?: Condition,
  ): Promise<void> {
    checkTemplateLengths(template, groupName);
    for (const name of names) checkTagLength(name);
    await this.state.change(async () => {
      const group = this.state.templateGroup(template, groupName);
      await this.deleteFrom(group, names);
    }, condition);
  }
}
