import { Badge, SegmentedControl, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../parts/isolated.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { isAsked, keyOf, memberText, type Change, type Side } from './profile-changes.ts';

interface Props {
  readonly changes: readonly Change[];
  readonly sides: ReadonlyMap<string, Side>;
  readonly onDecide: (change: Change, side: Side) => void;
}

const colors = { add: 'teal', change: 'blue', kept: 'gray', remove: 'red', conflict: 'yellow' } as const;

/** What differs, one line a member: as the profile gave it, as the node has it, and as the profile gives it now. */
interface Row {
  readonly key: string;
  readonly change: Change;
  readonly field: string;
  readonly before: string;
  readonly now: string;
  readonly next: string;
  /** The first line of its difference, which asks. */
  readonly isFirst: boolean;
}

function rowsOf(changes: readonly Change[]): Row[] {
  return changes.flatMap((change) => {
    const fields = change.fields ?? [];
    const key = keyOf(change);
    if (fields.length === 0)
      return [{ key, change, field: '', before: '', now: '', next: '', isFirst: true }];
    return fields.map(({ field, before, now, next }, index) => ({
      key: `${key} ${field}`,
      change,
      field,
      before: memberText(field, before),
      now: memberText(field, now),
      next: memberText(field, next),
      isFirst: index === 0,
    }));
  });
}

/** The three sides of every difference, what people have changed among them; what is asked is decided here. */
export function ChangeList({ changes, sides, onDecide }: Props): ReactElement {
  const { t } = useTranslation();
  const side = (key: 'before' | 'now' | 'next'): Column<Row> => ({
    key,
    title: t(`profiles.${key}`),
    isLeftOut: key === 'before',
    cell: (row) => (
      <Text size="sm" ff="monospace" truncate maw={200} title={row[key]}>
        <Isolated>{row[key]}</Isolated>
      </Text>
    ),
  });
  const columns: readonly Column<Row>[] = [
    {
      key: 'kind',
      title: t('profiles.change'),
      width: 110,
      order: ({ change }) => change.kind,
      cell: ({ change: { kind }, isFirst }) =>
        isFirst && (
          <Badge variant="light" miw="max-content" color={colors[kind]}>
            {t(`profiles.kinds.${kind}`)}
          </Badge>
        ),
    },
    {
      key: 'what',
      title: t('profiles.where'),
      isFilling: true,
      order: ({ change }) => placeOf(change),
      cell: ({ change, field }) => (
        <span title={change.message}>
          <Isolated>{placeOf(change)}</Isolated>
          {field !== '' && field !== change.setting && <Text span size="sm" c="dimmed">{` · ${field}`}</Text>}
        </span>
      ),
    },
    side('before'),
    side('now'),
    side('next'),
    {
      key: 'decision',
      title: t('profiles.decide'),
      cell: ({ change, isFirst }) =>
        isFirst &&
        isAsked(change) && (
          <SegmentedControl
            size="xs"
            aria-label={t('profiles.decisionOf', { what: placeOf(change) })}
            value={sides.get(keyOf(change)) ?? ''}
            data={[
              { value: 'node', label: t('profiles.takeNode') },
              { value: 'profile', label: t(isGone(change) ? 'profiles.takeAway' : 'profiles.takeProfile') },
            ]}
            onChange={(value) => onDecide(change, value === 'profile' ? 'profile' : 'node')}
          />
        ),
    },
  ];
  return (
    <Stack gap={4}>
      <Table
        rows={rowsOf(changes)}
        columns={columns}
        keyOf={({ key }) => key}
        label={t('profiles.where')}
        height="calc(100vh - 420px)"
        empty={t('profiles.same')}
      />
    </Stack>
  );
}

/** The profile has it no more. */
const isGone = ({ kind, fields = [] }: Change): boolean =>
  kind === 'remove' || fields.every(({ next }) => next === undefined);

const placeOf = ({ group = '', tag, setting }: Change): string =>
  setting ?? (tag === undefined ? group : `${group} / ${tag}`);
