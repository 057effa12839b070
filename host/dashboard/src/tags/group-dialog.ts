import type { TagRecord } from '@tagway/schemas';
import type { TagRules } from '../api/tag-rules.ts';

/** What a dialog about the tags of a group is told. */
export interface GroupDialogProps {
  readonly node: string;
  readonly group: string;
  /** All tags of the group. */
  readonly tags: readonly TagRecord[];
  readonly rules: TagRules;
  readonly onClose: () => void;
}
