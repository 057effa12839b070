import { Code, Text } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { linesOf } from './frame-text.ts';
import { TraceTable, type TraceView } from './trace-table.tsx';

/** Digits of the bytes of a frame that its row shows. */
const shownDigits = 48;

/** The frames of a trace; one of them is shown with all its bytes. */
export function TraceFrames({ frames }: { readonly frames: readonly TraceFrame[] }): ReactElement {
  const { t } = useTranslation();
  const view = useMemo<TraceView>(
    () => ({
      column: {
        key: 'unit',
        title: t('trace.unit'),
        width: 70,
        isLeftOut: true,
        cell: ({ unit }) => <Isolated>{unit ?? ''}</Isolated>,
      },
      title: t('trace.content'),
      content: ({ text, hex }) => (
        <Text size="sm" truncate="end">
          {text === undefined ? <Code>{shortened(hex)}</Code> : <Isolated>{text}</Isolated>}
        </Text>
      ),
      detailTitle: ({ number: n }) => t('trace.bytesOf', { n }),
      detail: ({ peer, hex }) => `${peer}\n${linesOf(hex).join('\n')}`,
    }),
    [t],
  );
  return (
    <TraceTable
      frames={frames}
      view={view}
      label={t('trace.frames')}
      empty={t('trace.none')}
      margins={[330, 560]}
    />
  );
}

function shortened(hex: string): string {
  return hex.length > shownDigits ? `${hex.slice(0, shownDigits)}…` : hex;
}
