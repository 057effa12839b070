import { Anchor, List } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { CellPosition } from './cell-grid.tsx';

interface Props {
  readonly cells: readonly CellPosition[];
  readonly titleOf: (column: number) => string;
  readonly problemOf: (cell: CellPosition) => string | undefined;
  readonly onGo: (cell: CellPosition) => void;
}

/** Names wrong cells; a click goes to one. */
export function WrongCells({ cells, titleOf, problemOf, onGo }: Props): ReactElement | null {
  const { t } = useTranslation();
  if (cells.length === 0) return null;
  return (
    <List size="sm" aria-label={t('grid.wrongCells')} listStyleType="none">
      {cells.map((cell) => (
        <List.Item key={`${cell.row}.${cell.column}`}>
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onGo(cell)}>
            {t('grid.cell', { column: titleOf(cell.column), row: cell.row + 1 })}: {problemOf(cell)}
          </Anchor>
        </List.Item>
      ))}
    </List>
  );
}
