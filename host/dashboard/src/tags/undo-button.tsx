import { Button } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { StaleSave } from '../parts/stale-save.tsx';
import { Trouble } from '../shell/trouble.tsx';
import type { TagText } from './tag-text.ts';
import { placeOf, useTagsDraft, type Done } from './use-tags-draft.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly done: Done;
  /** Called with how many tags are as they were. */
  readonly onUndone: (count: number) => void;
}

/** Takes back a change of many tags in one request, which the gateway refuses when somebody has changed them since. */
export function UndoButton({ node, group, done, onUndone }: Props): ReactElement {
  const { t } = useTranslation();
  // As they were, by what they are called now.
  const former = useMemo(() => {
    const now = [...done.after.keys()];
    return new Map(
      done.names.flatMap((name, index): [string, TagText][] => {
        const text = done.before.get(name);
        return text === undefined ? [] : [[now[index] ?? name, text]];
      }),
    );
  }, [done]);
  const draft = useTagsDraft({
    ...{ node, group, tags: done.after },
    isWatched: false,
    // Theirs stays as it is.
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
        onClick={() => void draft.saveTags(former)}
      >
        {t('tags.undo', { count })}
      </Button>
      <Trouble error={draft.error} />
      <StaleSave
        draft={draft}
        labelOf={(key) => {
          const { name, field } = placeOf(key);
          return `${name} · ${t(`tags.${field}`)}`;
        }}
      />
    </>
  );
}
