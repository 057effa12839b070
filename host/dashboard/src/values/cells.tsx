import { Badge, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection, useReading } from '../live/use-live.ts';
import { meaningOf } from '../parts/error-text.ts';
import { useAge, useNow } from '../shell/age.ts';
import { ErrorCell } from './error-cell.tsx';
import { valueText, type Base } from './value-text.ts';

interface Place {
  readonly node: string;
  readonly group: string;
  readonly name: string;
}

/** The newest value of a tag, or why it has none. Draws itself anew; the row around it stays. */
export function ValueCell(props: Place & { readonly type: number; readonly base: Base }): ReactElement {
  const { node, group, name, type, base } = props;
  const { t } = useTranslation();
  const reading = useReading(node, group, name);
  const { state } = useConnection();
  if (reading === undefined) return <Text size="sm">…</Text>;
  if (reading.error !== undefined) {
    const { error, message = meaningOf(error) ?? t('error.code', { code: error }), at } = reading;
    return <ErrorCell node={node} error={error} message={message} since={at} />;
  }
  const text = valueText(reading.value, type, base);
  return (
    <Text
      size="sm"
      ff="monospace"
      truncate
      maw={420}
      title={text}
      td={state === 'lost' ? 'line-through' : undefined}
    >
      {text}
    </Text>
  );
}

/** How long a tag has had its value; while nothing arrives that it is stale, and for how long. */
export function AgeCell({ node, group, name }: Place): ReactElement | null {
  const { t } = useTranslation();
  const reading = useReading(node, group, name);
  const { state, since } = useConnection();
  const now = useNow();
  const age = useAge();
  if (state === 'lost') {
    return (
      <Group gap={4} wrap="nowrap">
        <Badge color="red" variant="filled">
          {t('live.stale')}
        </Badge>
        <Text size="sm">{age(now - since)}</Text>
      </Group>
    );
  }
  return reading === undefined ? null : <Text size="sm">{age(now - reading.at)}</Text>;
}
