import { Code, Text, UnstyledButton } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { linesOf } from './frame-text.ts';
import { traceColumns } from './trace-columns.tsx';

/** Digits of the bytes of a frame that its row shows. */
const shownDigits = 48;

/** The frames of a trace; one of them is shown with all its bytes. */
export function TraceFrames({ frames }: { readonly frames: readonly TraceFrame[] }): ReactElement {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<number>();
  const columns = useMemo<Column<TraceFrame>[]>(() => {
    const common = traceColumns(t);
    return [
      common.time,
      common.direction,
      {
        key: 'unit',
        title: t('trace.unit'),
        width: 70,
        isLeftOut: true,
        cell: ({ unit }) => <Isolated>{unit ?? ''}</Isolated>,
      },
      common.size,
      {
        key: 'text',
        title: t('trace.content'),
        isFilling: true,
        cell: ({ number, text, hex }) => (
          <UnstyledButton
            fz="inherit"
            w="100%"
            onClick={() => setChosen(number)}
            aria-pressed={number === chosen}
          >
            <Text size="sm" truncate="end">
              {text === undefined ? <Code>{shortened(hex)}</Code> : <Isolated>{text}</Isolated>}
            </Text>
          </UnstyledButton>
        ),
      },
    ];
  }, [t, chosen]);
  const frame = chosen === undefined ? undefined : frames[chosen - 1];
  return (
    <>
      <Table
        rows={frames}
        columns={columns}
        keyOf={({ number }) => String(number)}
        label={t('trace.frames')}
        empty={t('trace.none')}
        height={frame === undefined ? 'calc(100vh - 330px)' : 'calc(100vh - 560px)'}
      />
      {frame !== undefined && (
        <Code block tabIndex={0} role="region" aria-label={t('trace.bytesOf', { n: frame.number })} mah={220}>
          {`${frame.peer}\n${linesOf(frame.hex).join('\n')}`}
        </Code>
      )}
    </>
  );
}

function shortened(hex: string): string {
  return hex.length > shownDigits ? `${hex.slice(0, shownDigits)}…` : hex;
}
