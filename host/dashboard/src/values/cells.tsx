import { Badge, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection, useTagValue } from '../live/use-live.ts';
import { meaningOf } from '../parts/error-text.ts';
import { timeText } from '../parts/times.ts';
import { useAge, useNow } from '../shell/age.ts';
import { ErrorCell } from './error-cell.tsx';
import type { TagReference } from './references.ts';
import { valueText, type Base } from './value-text.ts';
import { Isolated } from '../parts/isolated.tsx';
import { textInLanguage } from '../texts/refusals.ts';

/** The newest value of a tag, or its error. It renders alone, without its row. */
export function ValueCell(
  props: TagReference & { readonly type: number; readonly base: Base; readonly unit?: string | undefined },
): ReactElement {
  const { node, group, name, type, base, unit } = props;
  const { t } = useTranslation();
  const tagValue = useTagValue(node, group, name);
  const { state } = useConnection();
  if (tagValue === undefined) return <Text size="sm">…</Text>;
  if (tagValue.error !== undefined) {
    const { error, message = meaningOf(error) ?? t('error.code', { code: error }) } = tagValue;
    const text = textInLanguage(message);
    const { from, isAtLeast } = tagValue;
    return <ErrorCell node={node} error={error} message={text} since={from} isAtLeast={isAtLeast} />;
  }
  const text = valueText(tagValue.value, type, base);
  return (
    <Text
      // A new value is a new element, so that the flash begins anew.
      key={tagValue.at}
      className={Date.now() - tagValue.at < 1000 ? 'value flash' : 'value'}
      ff="monospace"
      fw={600}
      truncate
      maw={420}
      title={text}
      {...(state === 'lost' && { c: 'dimmed', fs: 'italic', fw: 400 })}
    >
      <Isolated>{text}</Isolated>
      {unit !== undefined && (
        <Text span size="xs" c="dimmed" fw={400} ml={6}>
          <Isolated>{unit}</Isolated>
        </Text>
      )}
    </Text>
  );
}

/** The age of a tag's value; while the connection is lost, since when the value is stale. */
export function AgeCell({ node, group, name }: TagReference): ReactElement | null {
  const { t } = useTranslation();
  const tagValue = useTagValue(node, group, name);
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
  if (tagValue === undefined) return null;
  const { from, isAtLeast } = tagValue;
  const text = age(now - from);
  return (
    <Text size="sm" title={timeText(from)}>
      {isAtLeast ? t('live.atLeast', { age: text }) : text}
    </Text>
  );
}
