import { Anchor, Button, Card, Group, SegmentedControl, Stack, Switch, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Suspense, useCallback, useEffect, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useWant } from '../live/use-live.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { SearchField } from '../parts/search-field.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { recent } from '../shell/recent.ts';
import { Isolated } from '../parts/isolated.tsx';
import { exportValues } from '../values/export-values.ts';
import { GroupPicker } from '../values/group-picker.tsx';
import { demandOf, useLiveRows, type LiveRow } from '../values/live-row.ts';
import { RecentValues } from '../values/recent-values.ts';
import { referenceFrom } from '../values/references.ts';
import { currentValue, useTick } from '../values/value-order.ts';
import { useLiveColumns } from '../values/use-live-columns.tsx';
import type { Base } from '../values/value-text.ts';
import { WriteDialog } from '../values/write-dialog.tsx';

const Trend = lazyPart(() => import('../values/trend.tsx'));
const TagTree = lazyPart(() => import('../values/tree/tag-tree.tsx'));

/** Most tags in a trend: each has its own colour. */
const mostPicks = 8;

/** The values of one or several groups in a list, or all tags as a tree. */
export default function Live(): ReactElement {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const view = params.get('view') === 'tree' ? 'tree' : 'list';
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t('nav.live')}</Title>
        <SegmentedControl
          aria-label={t('live.view')}
          value={view}
          onChange={(next) => setParams(next === 'tree' ? { view: next } : {})}
          data={(['list', 'tree'] as const).map((value) => ({ value, label: t(`live.${value}`) }))}
        />
      </Group>
      {view === 'list' ? (
        <LiveList />
      ) : (
        <Suspense fallback={<Text size="sm">{t('app.loading')}</Text>}>
          <TagTree />
        </Suspense>
      )}
    </Stack>
  );
}

function LiveList(): ReactElement {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const address = params.toString();
  const references = useMemo(() => new URLSearchParams(address).getAll('g'), [address]);
  const { rows, error } = useLiveRows(references);
  const [text, setText] = useState(params.get('text') ?? '');
  const [filter] = useDebouncedValue(text.toLowerCase(), 150);
  const [onlyErrors, setOnlyErrors] = useState(false);
  const [base, setBase] = useState<Base>('decimal');
  const [sortedBy, setSortedBy] = useState('');
  const [picked, setPicked] = useState<readonly LiveRow[]>([]);
  const [writing, setWriting] = useState<LiveRow>();
  const { isBusy, run } = useAction();

  // To sort or filter by values, the values of rows out of view are needed as well.
  const needsAll = onlyErrors || sortedBy === 'value';
  const tick = useTick(needsAll);
  const wantAll = useWant();
  useEffect(
    () => wantAll(needsAll ? references.flatMap(referenceFrom) : []),
    [wantAll, needsAll, references],
  );
  const wantVisible = useWant();
  const onVisible = useCallback(
    (visible: readonly LiveRow[]) => wantVisible(demandOf(visible)),
    [wantVisible],
  );

  const shown = useMemo(() => {
    const found = filter === '' ? rows : rows.filter((row) => matches(row, filter));
    // A new list at every tick, so that the table sorts again.
    if (!onlyErrors) return tick === 0 ? found : [...found];
    return found.filter(({ node, group, tag }) => currentValue(node, group, tag.name)?.error !== undefined);
  }, [rows, filter, onlyErrors, tick]);

  const pick = useCallback(
    (row: LiveRow) =>
      setPicked((before) => {
        const others = before.filter(({ key }) => key !== row.key);
        return others.length < before.length ? others : [...before, row].slice(-mostPicks);
      }),
    [],
  );
  const [recent] = useState(() => new RecentValues());
  useEffect(() => recent.start(), [recent]);
  const columns = useLiveColumns({ base, picked, pick, write: setWriting, recent });

  return (
    <>
      <Group align="flex-end" gap="sm">
        <GroupPicker
          references={references}
          onChange={(next) =>
            setParams(
              next.map((reference): [string, string] => ['g', reference]),
              { replace: true },
            )
          }
        />
        <SearchField label={t('live.filter')} value={text} onChange={setText} style={{ flex: '1 1 160px' }} />
      </Group>
      <Group gap="md">
        <SegmentedControl
          aria-label={t('live.base')}
          value={base}
          onChange={(value) => setBase(value)}
          data={[
            { value: 'decimal', label: t('live.decimal') },
            { value: 'hex', label: t('live.hex') },
            { value: 'binary', label: t('live.binary') },
          ]}
        />
        <Switch
          label={t('live.onlyErrors')}
          checked={onlyErrors}
          onChange={(event) => setOnlyErrors(event.currentTarget.checked)}
        />
        <Button
          variant="default"
          loading={isBusy}
          disabled={shown.length === 0}
          onClick={() =>
            void run(() => exportValues(shown, base), t('live.exported', { count: shown.length }))
          }
        >
          {t('live.export')}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {t('live.count', { count: shown.length, total: rows.length })}
        </Text>
      </Group>
      <ErrorAlert error={error} />
      {picked.length > 0 && (
        <Card withBorder p="xs">
          <Suspense fallback={<Text size="sm">{t('app.loading')}</Text>}>
            <Trend rows={picked} onRemove={pick} />
          </Suspense>
        </Card>
      )}
      <Table
        rows={shown}
        columns={columns}
        keyOf={keyOf}
        label={t('nav.live')}
        height={picked.length > 0 ? 'calc(100vh - 600px)' : 'calc(100vh - 270px)'}
        empty={references.length === 0 ? <SeenLast /> : t('live.nothing')}
        onVisible={onVisible}
        onSort={setSortedBy}
      />
      {writing !== undefined && (
        <WriteDialog
          node={writing.node}
          group={writing.group}
          tag={writing.tag}
          onClose={() => setWriting(undefined)}
        />
      )}
    </>
  );
}

/** The groups whose values were looked at last, until some are picked. */
function SeenLast(): ReactElement {
  const { t } = useTranslation();
  const seen = recent().seen.filter(({ to }) => to.startsWith('/live?'));
  return (
    <Stack gap={4} component="span">
      <span>{t('live.pickFirst')}</span>
      {seen.length > 0 && <span>{t('search.seen')}:</span>}
      {seen.map(({ name, place, to }) => (
        <Anchor key={to} component={Link} to={to} size="sm">
          <Isolated>{`${place ?? ''} · ${name}`}</Isolated>
        </Anchor>
      ))}
    </Stack>
  );
}

const keyOf = ({ key }: LiveRow): string => key;

function matches({ node, group, tag }: LiveRow, text: string): boolean {
  return [tag.name, tag.address, tag.description, group, node].some((part) =>
    part.toLowerCase().includes(text),
  );
}
