import type { Layout } from '@tagway/sdk';
import type { Tag } from '../../core/model.ts';

/** The readable tags of a group at one version of it. */
export interface View {
  readonly tags: readonly Tag[];
  readonly layout: Layout;
}

/** The columns of a view by the numbers of their tags. */
export const columnsById = ({ tags }: View): Map<number, number> =>
  new Map(tags.map((tag, column) => [tag.id, column]));

/** Whether a value that was read for a tag is one of what the tag became: a new name or description does not matter. */
export function keepsValue(old: Tag, tag: Tag): boolean {
  return (
    old === tag ||
    (old.address === tag.address &&
      old.type === tag.type &&
      old.decimal === tag.decimal &&
      old.bias === tag.bias &&
      old.value === tag.value)
  );
}

/** Whether values of both can be compared: also those of a static tag, whose value is what changes. */
export const isComparable = (old: Tag, tag: Tag): boolean =>
  keepsValue(old, tag) ||
  (old.value !== undefined && tag.value !== undefined && keepsValue({ ...old, value: tag.value }, tag));
