import { Text } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Which way a frame or message went; on a phone the arrow alone. */
export function Direction({ direction }: Pick<TraceFrame, 'direction'>): ReactElement {
  const { t } = useTranslation();
  const word = t(`trace.${direction}`);
  return (
    <span title={word}>
      {direction === 'sent' ? '→' : '←'}{' '}
      <Text span inherit visibleFrom="sm">
        {word}
      </Text>
    </span>
  );
}
