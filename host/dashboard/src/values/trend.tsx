import { Alert, Checkbox, Group, SegmentedControl, Text } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useWant } from '../live/use-live.ts';
import { Isolated } from '../parts/isolated.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import type { LiveRow } from './live-row.ts';
import { TrendBuffer } from './trend-buffer.ts';
import { colours, TrendChart, unitOf } from './trend-chart.tsx';
import { spans, useHistories, type Span, type TagHistory } from './trend-history.ts';

interface Props {
  readonly rows: readonly LiveRow[];
  readonly onRemove: (row: LiveRow) => void;
}

/** A chart of some tags: what the gateway has kept of them, and behind it what comes, updated every second. */
export default function Trend({ rows, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const [span, setSpan] = useState<Span>('five');
  const picks = useMemo(() => rows.map(({ node, group, tag }) => ({ node, group, name: tag.name })), [rows]);
  const histories = useHistories(picks, span);
  const [buffer] = useState(() => new TrendBuffer());
  const want = useWant();
  useEffect(() => buffer.start(), [buffer]);
  useEffect(() => {
    buffer.pick(picks);
    want(picks.map(({ node, group, name }) => ({ node, group, tags: [name] })));
  }, [buffer, picks, want]);
  const label = t('live.trendOf', { tags: picks.map(({ name }) => name).join(', ') });
  return (
    <>
      <Group justify="space-between" gap="xs" mb={4}>
        <SegmentedControl
          size="xs"
          aria-label={t('live.span')}
          value={span}
          onChange={(value) => setSpan(value)}
          data={(Object.keys(spans) as Span[]).map((value) => ({ value, label: t(`live.spans.${value}`) }))}
        />
      </Group>
      <TrendChart rows={rows} buffer={buffer} histories={histories} span={span} label={label} />
      <Group gap="sm">
        {rows.map((row, index) => (
          <Checkbox
            key={row.key}
            size="xs"
            color={`var(${colours[index % colours.length]!})`}
            label={
              <Isolated>
                {unitOf(row.tag) === '' ? row.tag.name : `${row.tag.name} (${unitOf(row.tag)})`}
              </Isolated>
            }
            aria-label={t('live.remove', { tag: row.tag.name })}
            checked
            onChange={() => onRemove(row)}
          />
        ))}
      </Group>
      <Reach rows={rows} histories={histories} span={span} />
    </>
  );
}

interface ReachProps {
  readonly rows: readonly LiveRow[];
  readonly histories: readonly TagHistory[];
  readonly span: Span;
}

/** Says of which tags there is no history, how far back that of others reaches where that is not the whole span, and what is wrong. */
function Reach({ rows, histories, span }: ReachProps): ReactElement {
  const { t, i18n } = useTranslation();
  const namesOf = (is: (history: TagHistory) => boolean): string =>
    rows.flatMap(({ tag }, index) => (is(histories[index]!) ? [tag.name] : [])).join(', ');
  const without = namesOf(({ isKept }) => isKept === false);
  const unfilled = namesOf(({ isKept, oldest }) => isKept === true && oldest === undefined);
  const begin = Date.now() - spans[span];
  const byTime = new Map<string, string[]>();
  for (const [index, { tag }] of rows.entries()) {
    const { oldest } = histories[index]!;
    if (oldest === undefined || oldest <= begin) continue;
    const style = { dateStyle: 'short', timeStyle: 'medium', hour12: false } as const;
    const time = new Date(oldest).toLocaleString(i18n.language, style);
    byTime.set(time, [...(byTime.get(time) ?? []), tag.name]);
  }
  const problems = [...new Set(histories.flatMap(({ problem = [] }) => problem))];
  const error = histories.find((history) => history.error !== null)?.error ?? null;
  return (
    <div role="status">
      {without !== '' && (
        <Text size="xs" c="dimmed">
          {t('live.noHistory', { tags: without })}
        </Text>
      )}
      {unfilled !== '' && (
        <Text size="xs" c="dimmed">
          {t('live.reachesNot', { tags: unfilled })}
        </Text>
      )}
      {Array.from(byTime, ([time, of]) => (
        <Text key={time} size="xs" c="dimmed">
          {t('live.reaches', { tags: of.join(', '), time })}
        </Text>
      ))}
      {problems.map((problem) => (
        <Alert key={problem} color="yellow" variant="light" p="xs" mt={4}>
          {problem}
        </Alert>
      ))}
      <ErrorAlert error={error} />
    </div>
  );
}
