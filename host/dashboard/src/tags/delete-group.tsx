import { Text } from '@mantine/core';
import type { GroupRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Confirm } from '../parts/confirm.tsx';

interface Props {
  readonly group: GroupRecord;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before a group and its tags are deleted. */
export function DeleteGroup({ group: { name, tag_count: count }, ...props }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Confirm isOpen title={t('tags.deleteOne', { name })} action={t('app.delete')} {...props}>
      <Text size="sm">{t('tags.deleteGroup', { group: name, count })}</Text>
    </Confirm>
  );
}
