import type { TraceFrame } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import type { Column } from '../../parts/table.tsx';
import { Direction } from './direction.tsx';
import { timeOf } from './frame-text.ts';

/** The columns that frames and messages have. */
export function traceColumns(
  t: TFunction,
): Readonly<Record<'time' | 'direction' | 'size', Column<TraceFrame>>> {
  return {
    time: { key: 'time', title: t('trace.time'), width: 130, cell: ({ time }) => timeOf(time) },
    direction: {
      key: 'direction',
      title: t('trace.direction'),
      cell: ({ direction }) => <Direction direction={direction} />,
    },
    size: {
      key: 'size',
      title: t('trace.size'),
      width: 80,
      isNumber: true,
      isLeftOut: true,
      cell: ({ size }) => size,
    },
  };
}
