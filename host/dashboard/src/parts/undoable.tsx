import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly done: string;
  readonly onUndo: () => void;
}

/** What was done, with the button that takes it back. */
export function Undoable({ done, onUndo }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <span style={{ overflowWrap: 'anywhere' }}>{done}</span>
      <Button size="compact-xs" variant="default" onClick={onUndo}>
        {t('app.undo')}
      </Button>
    </Group>
  );
}
