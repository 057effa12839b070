import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { GroupTags } from './group-tags.ts';
import type { TemplateGroup } from './model.ts';
import { byteLength, checkTemplateLengths } from './names.ts';
import { keys } from './records.ts';

/** The tags of templates. */
export class TemplateTags extends GroupTags<TemplateGroup> {
  /** Deletes the tags that exist; names without a tag are no error. */
  async delete(template: string, groupName: string, names: readonly string[]): Promise<void> {
    checkTemplateLengths(template, groupName);
    if (names.some((name) => byteLength(name) > Limits.tagName)) throw new Fault(ErrorCode.TAG_NAME_TOO_LONG);
    await this.state.change(async () => {
      const group = this.state.templateGroup(template, groupName);
      await this.deleteFrom(group, names, (id) => keys.templateTag(group.id, id));
    });
  }
}
