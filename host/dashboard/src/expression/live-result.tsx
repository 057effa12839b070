import { Anchor, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useReason } from '../shell/error-alert.tsx';
import { placeIn } from './completion.ts';

interface Props {
  readonly expression: string;
  /** The type of the tag. */
  readonly type: number;
  readonly evaluate: (expression: string) => Promise<string>;
  /** Called with the index of the character where the expression is wrong. */
  readonly onPlace: (at: number) => void;
}

/** Characters that are shown before and after the place of an error. */
const around = 30;

/** What the expression gives now, or why it gives nothing and where that is: asked for shortly after the last change. */
export function LiveResult({ expression, type, evaluate, onPlace }: Props): ReactElement {
  const { t } = useTranslation();
  const reason = useReason();
  const [settled] = useDebouncedValue(expression, 500);
  const { data, error } = useQuery({
    queryKey: ['expression', type, settled],
    queryFn: () => evaluate(settled),
    enabled: settled.trim() !== '',
    retry: false,
    gcTime: 0,
  });
  const sentence = error === null ? '' : reason(error);
  const place = placeIn(settled, sentence);
  const isCurrent = settled === expression;
  return (
    <Text size="xs" component="div" role="status" mih={18} mt={4} style={{ overflowWrap: 'anywhere' }}>
      {isCurrent && error === null && data !== undefined && t('expression.result', { value: data })}
      {isCurrent && error !== null && (
        <Text inherit c="red">
          {sentence}
        </Text>
      )}
      {isCurrent && error !== null && place !== undefined && (
        <Anchor component="button" type="button" size="xs" ff="monospace" onClick={() => onPlace(place)}>
          {settled.slice(Math.max(0, place - around), place)}
          <mark>{settled.slice(place, place + 1) || '▁'}</mark>
          {settled.slice(place + 1, place + around)}
        </Anchor>
      )}
    </Text>
  );
}
