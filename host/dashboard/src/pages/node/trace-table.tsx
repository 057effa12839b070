import { Code, UnstyledButton } from '@mantine/core';
import type { TraceFrame } from '@tagway/schemas';
import { useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Table, type Column } from '../../parts/table.tsx';
import { Direction } from './direction.tsx';
import { timeOf } from './frame-text.ts';

/** What frames and messages show in different ways. It stays the same from render to render. */
export interface TraceView {
  /** Stands between the direction and the size. */
  readonly column: Column<TraceFrame>;
  readonly title: string;
  readonly content: (frame: TraceFrame) => ReactNode;
  /** All of a chosen one. */
  readonly detailTitle: (frame: TraceFrame) => string;
  readonly detail: (frame: TraceFrame) => string;
}

interface Props {
  readonly frames: readonly TraceFrame[];
  readonly view: TraceView;
  readonly label: string;
  readonly empty: string;
  /** Pixels of the window that the list leaves free, without a chosen one and with it. */
  readonly margins: readonly [alone: number, beside: number];
  /** Long lines of a chosen one go on in the next line. */
  readonly wraps?: boolean;
}

/** What passed, a row each; one of them is chosen and shown whole. */
export function TraceTable({ frames, view, label, empty, margins, wraps = false }: Props): ReactElement {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<number>();
  const columns = useMemo<Column<TraceFrame>[]>(
    () => [
      { key: 'time', title: t('trace.time'), width: 116, cell: ({ time }) => timeOf(time) },
      {
        key: 'direction',
        title: t('trace.direction'),
        cell: ({ direction }) => <Direction direction={direction} />,
      },
      view.column,
      {
        key: 'size',
        title: t('trace.size'),
        width: 80,
        isNumber: true,
        isLeftOut: true,
        cell: ({ size }) => size,
      },
      {
        key: 'content',
        title: view.title,
        isFilling: true,
        cell: (frame) => (
          <UnstyledButton
            fz="inherit"
            w="100%"
            onClick={() => setChosen(frame.number)}
            aria-pressed={frame.number === chosen}
          >
            {view.content(frame)}
          </UnstyledButton>
        ),
      },
    ],
    [t, view, chosen],
  );
  const frame = chosen === undefined ? undefined : frames[chosen - 1];
  return (
    <>
      <Table
        rows={frames}
        columns={columns}
        keyOf={({ number }) => String(number)}
        label={label}
        empty={empty}
        height={`calc(100vh - ${margins[frame === undefined ? 0 : 1]}px)`}
      />
      {frame !== undefined && (
        <Code
          block
          tabIndex={0}
          role="region"
          aria-label={view.detailTitle(frame)}
          mah={220}
          {...(wraps && { style: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } })}
        >
          {view.detail(frame)}
        </Code>
      )}
    </>
  );
}
