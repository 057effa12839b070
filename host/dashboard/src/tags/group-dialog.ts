import type { TagRecord } from '@tagway/schemas';
import type { TagRules } from '../api/tag-rules.ts';

/** The properties of a dialog about the tags of a group. */
export interface GroupDialogProps {
  readonly node: string;
  readonly group: string;
  /** All tags of the group. */
  readonly tags: readonly TagRecord[];
  readonly rules: TagRules;
  readonly onClose: () => void;
}
