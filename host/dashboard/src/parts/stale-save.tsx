import { Alert, Button, Group, Modal, Stack, Table as MantineTable, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { stringifyExact } from '../api/exact-json.ts';
import { differencesOf, type FieldDifference } from './three-way.ts';
import type { Draft } from './use-draft.ts';

interface Props {
  readonly draft: Draft;
  /** The label of a field on the page. */
  readonly labelOf: (field: string) => string;
  /** Whether a field holds a secret. */
  readonly isHidden?: (field: string) => boolean;
  /** Whether a save can create again what another user has deleted. */
  readonly mayRecreate?: boolean;
}

/** Most differences that are shown. */
const most = 200;

/** Warns when another user has changed what is edited here. After a save that was refused it shows the differences and what to do. */
export function StaleSave({ draft, labelOf, isHidden, mayRecreate = false }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { stale, isOutdated, keepMine, takeTheirs, keepEditing } = draft;
  if (stale === undefined) {
    return isOutdated ? (
      <Alert color="yellow" variant="light" role="status" p="xs">
        {t('stale.noticed')}
      </Alert>
    ) : null;
  }
  const { base, theirs, mine } = stale;
  const found = theirs === null ? [] : differencesOf(base, theirs, mine);
  return (
    <Modal
      opened
      onClose={keepEditing}
      size="xl"
      zIndex={300}
      title={t('stale.title')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t(theirs === null ? 'stale.gone' : found.length > 0 ? 'stale.changed' : 'stale.unseen')}
        </Text>
        {found.length > 0 && <Differences found={found} labelOf={labelOf} isHidden={isHidden ?? never} />}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={keepEditing} data-autofocus>
            {t('stale.goOn')}
          </Button>
          {theirs !== null && (
            <Button variant="default" onClick={takeTheirs}>
              {t('stale.takeTheirs')}
            </Button>
          )}
          {(theirs !== null || mayRecreate) && (
            <Button color="red" onClick={() => void keepMine()}>
              {t(theirs === null ? 'stale.remake' : 'stale.keepMine')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

const never = (): boolean => false;

function Differences({
  found,
  labelOf,
  isHidden,
}: {
  readonly found: readonly FieldDifference[];
  readonly labelOf: (field: string) => string;
  readonly isHidden: (field: string) => boolean;
}): ReactElement {
  const { t } = useTranslation();
  const shown = (field: string, value: unknown): string =>
    isHidden(field) && typeof value === 'string' && value !== '' ? '••••••••' : textOf(value);
  return (
    <>
      <MantineTable.ScrollContainer minWidth={320} maxHeight={360}>
        <MantineTable aria-label={t('stale.list')} fz="sm" layout="fixed" verticalSpacing={4}>
          <MantineTable.Thead>
            <MantineTable.Tr>
              <MantineTable.Th>{t('stale.field')}</MantineTable.Th>
              <MantineTable.Th>{t('stale.theirs')}</MantineTable.Th>
              <MantineTable.Th>{t('stale.mine')}</MantineTable.Th>
            </MantineTable.Tr>
          </MantineTable.Thead>
          <MantineTable.Tbody>
            {found.slice(0, most).map(({ field, theirs, mine, isMine }) => (
              <MantineTable.Tr key={field} style={{ overflowWrap: 'anywhere' }}>
                <MantineTable.Td>{labelOf(field)}</MantineTable.Td>
                <MantineTable.Td ff="monospace">{shown(field, theirs)}</MantineTable.Td>
                <MantineTable.Td ff="monospace">
                  {shown(field, mine)}
                  {!isMine && (
                    <Text size="xs" c="dimmed" ff="text">
                      {t('stale.untouched')}
                    </Text>
                  )}
                </MantineTable.Td>
              </MantineTable.Tr>
            ))}
          </MantineTable.Tbody>
        </MantineTable>
      </MantineTable.ScrollContainer>
      {found.length > most && <Text size="sm">{t('stale.more', { n: found.length - most })}</Text>}
    </>
  );
}

/** Most characters of a value that are shown. */
const longest = 200;

function textOf(value: unknown): string {
  if (value === undefined || value === '') return '–';
  const text = typeof value === 'string' ? value : stringifyExact(value);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
