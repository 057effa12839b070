import { Button } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { StaleSave } from '../parts/stale-save.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import type { TagText } from './tag-text.ts';
import { splitKey, useTagsDraft, type MadeChange } from './use-tags-draft.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly done: MadeChange;
  /** Called with the number of tags that are restored. */
  readonly onUndone: (count: number) => void;
}

/** Undoes a change of many tags in one request. The gateway refuses it when another user has changed them since. */
export function UndoButton({ node, group, done, onUndone }: Props): ReactElement {
  const { t } = useTranslation();
  // The tags before the change, by their names after it.
  const oldTexts = useMemo(() => {
    const now = [...done.after.keys()];
    return new Map(
      done.names.flatMap((name, index): [string, TagText][] => {
        const text = done.before.get(name);
        return text === undefined ? [] : [[now[index] ?? name, text]];
      }),
    );
  }, [done]);
  const draft = useTagsDraft({
    node,
    group,
    tags: done.after,
    isWatched: false,
    // The other user's change stays.
    onTake: () => onUndone(0),
    onSaved: ({ reply }) => onUndone(reply.update),
  });
  const count = done.reply.update;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={draft.isBusy}
        onClick={() => void draft.saveTags(oldTexts)}
      >
        {t('tags.undo', { count })}
      </Button>
      <ErrorAlert error={draft.error} />
      <StaleSave
        draft={draft}
        labelOf={(key) => {
          const { name, field } = splitKey(key);
          return `${name} · ${t(`tags.${field}`)}`;
        }}
      />
    </>
  );
}
