import { Text } from '@mantine/core';
import type { GroupRecord, TagRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useAction } from '../parts/use-action.ts';
import { applyTags } from './apply.ts';
import { BrowseDialog } from './browse-dialog.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import type { GroupDialogProps } from './group-dialog.ts';
import { ImportDialog } from './import-dialog.tsx';
import { TagForm } from './tag-form.tsx';
import { TagGrid } from './tag-grid.tsx';
import type { MadeChange } from './use-tags-draft.ts';

/** The dialog that is open above the list of tags. */
export type TagDialog =
  | { readonly kind: 'form'; readonly tag: TagRecord | undefined }
  | { readonly kind: 'import'; readonly pasted: string }
  | { readonly kind: 'browse' | 'grid' }
  | { readonly kind: 'bulk' | 'copy' | 'delete'; readonly tags: readonly TagRecord[] };

interface Props extends GroupDialogProps {
  readonly dialog: TagDialog;
  readonly groups: readonly GroupRecord[];
  /** Called with the sentence of the notification. */
  readonly onDone: (sentence: string) => void;
  /** Called when many tags were changed together; the dialog stays. */
  readonly onApplied: (done: MadeChange) => void;
  /** Called when the tags of a dialog were deleted, which was said. */
  readonly onDeleted: () => void;
}

export function TagDialogs({ dialog, onDone, onApplied, onDeleted, ...props }: Props): ReactElement {
  const { t } = useTranslation();
  switch (dialog.kind) {
    case 'form':
      return <TagForm {...props} tag={dialog.tag} onSaved={(name) => onDone(t('tags.saved', { name }))} />;
    case 'import':
      return (
        <ImportDialog
          {...props}
          pasted={dialog.pasted}
          onDone={({ add, update, remove }) => onDone(t('tags.imported', { add, update, remove }))}
        />
      );
    case 'browse':
      return <BrowseDialog {...props} onDone={(count) => onDone(t('tags.added', { count }))} />;
    case 'grid':
      return <TagGrid {...props} onDone={(count) => onDone(t('tags.added', { count }))} />;
    case 'bulk':
      return <BulkEdit {...props} chosen={dialog.tags} onApplied={onApplied} />;
    case 'copy':
      return (
        <CopyDialog
          {...props}
          tags={dialog.tags}
          onDone={() => onDone(t('tags.copied', { count: dialog.tags.length }))}
        />
      );
    case 'delete':
      return <DeleteTags {...props} tags={dialog.tags} onDeleted={onDeleted} />;
  }
}

function DeleteTags({
  node,
  group,
  tags,
  onClose,
  onDeleted,
}: Omit<Props, 'dialog' | 'onApplied' | 'onDone'>): ReactElement {
  const { t } = useTranslation();
  const { isBusy, run } = useAction();
  const refresh = useRefresh();
  const body = { node, group, tags: tags.map(({ name }) => name) };
  const done = t('tags.deletedMany', { count: tags.length });
  return (
    <Confirm
      isOpen
      title={t('tags.deleteMany', { count: tags.length })}
      action={t('app.delete')}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() =>
        void run(() => call('DELETE', 'api/v2/tags', { body }), done, {
          work: async () => {
            await applyTags({ node, group, tags: [...tags], mode: 'add' });
            await refresh(['node', node], ['groups']);
          },
          done: t('tags.added', { count: tags.length }),
        }).then((isDone) => {
          if (isDone) onDeleted();
        })
      }
    >
      <Text size="sm">
        {t('tags.deleteText', {
          names: body.tags.slice(0, 10).join(', ') + (tags.length > 10 ? ' …' : ''),
        })}
      </Text>
    </Confirm>
  );
}
