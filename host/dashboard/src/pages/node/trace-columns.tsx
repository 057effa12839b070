import type { TraceFrame } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import type { Column } from '../../parts/table.tsx';
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
      width: 110,
      cell: ({ direction }) => `${direction === 'sent' ? '→' : '←'} ${t(`trace.${direction}`)}`,
    },
    size: { key: 'size', title: t('trace.size'), width: 80, isNumber: true, cell: ({ size }) => size },
  };
}
