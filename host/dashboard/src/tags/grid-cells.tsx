import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useEffectEvent,
  useRef,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { useTranslation } from 'react-i18next';
import { typeNames } from '../values/data-types.ts';
import { blockOf, gridColumns, isBlank, type GridColumn, type CellPosition } from './grid-rows.ts';
import './grid-cells.css';
import type { TagText } from './tag-text.ts';

interface Props {
  readonly rows: readonly TagText[];
  readonly active: CellPosition;
  /** The problem of a cell; undefined without one. */
  readonly problemOf: (cell: CellPosition) => string | undefined;
  /** The id of the element that shows the problem of the active cell. */
  readonly describedBy: string;
  /** A cell to go to; a new object goes there again. */
  readonly target: CellPosition | undefined;
  readonly onActive: (cell: CellPosition) => void;
  readonly onCell: (cell: CellPosition, text: string) => void;
  readonly onBlock: (start: CellPosition, cells: readonly (readonly (string | undefined)[])[]) => void;
}

const rowHeight = 32;
/** Width of each column in pixels. */
const widths: Readonly<Record<GridColumn, number>> = {
  name: 190,
  address: 180,
  type: 96,
  attribute: 150,
  description: 200,
  decimal: 90,
  bias: 80,
  precision: 80,
  value: 110,
  deadband: 90,
  unit: 80,
  low: 80,
  high: 80,
};
const head = 44;
const width = gridColumns.reduce((sum, column) => sum + widths[column], head);
const template = `${head}px ${gridColumns.map((column) => `minmax(${widths[column]}px, ${widths[column]}fr)`).join(' ')}`;
const attributes = ['Read', 'Write', 'Read Write', 'Subscribe', 'Read Subscribe', 'Static'];
const lists: Readonly<Partial<Record<GridColumn, string>>> = {
  type: 'grid-types',
  attribute: 'grid-attributes',
};

/** Cells that are edited as in a spreadsheet. Only visible rows are in the document. */
export function GridCells(props: Props): ReactElement {
  const { rows, active, problemOf, describedBy, target, onActive, onCell, onBlock } = props;
  const { t } = useTranslation();
  const viewport = useRef<HTMLDivElement>(null);
  const cellToFocus = useRef<CellPosition>(undefined);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });

  // A cell that was out of view is in the document after the next rendering.
  useEffect(() => {
    const cell = cellToFocus.current;
    if (cell === undefined) return;
    const input = viewport.current?.querySelector<HTMLInputElement>(
      `[data-cell="${cell.row}.${cell.column}"]`,
    );
    if (!input) return;
    cellToFocus.current = undefined;
    input.focus();
    input.select();
  });

  const go = (row: number, column: number): void => {
    if (row < 0 || row >= rows.length || column < 0 || column >= gridColumns.length) return;
    cellToFocus.current = { row, column };
    virtual.scrollToIndex(row);
    onActive({ row, column });
  };

  const goTo = useEffectEvent(({ row, column }: CellPosition) => go(row, column));
  useEffect(() => {
    if (target !== undefined) goTo(target);
  }, [target]);

  const press = (event: KeyboardEvent<HTMLInputElement>, { row, column }: CellPosition): void => {
    const { key, shiftKey, altKey, ctrlKey, metaKey, currentTarget: input } = event;
    const isAtStart = input.selectionStart === 0 && input.selectionEnd === 0;
    const isAtEnd = input.selectionStart === input.value.length && input.selectionEnd === input.value.length;
    const isWhole = input.selectionStart === 0 && isSelectedToEnd(input);
    const last = gridColumns.length - 1;
    if (altKey) return;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'd') {
      event.preventDefault();
      const above = rows[row - 1];
      const name = gridColumns[column];
      if (above !== undefined && name !== undefined) onCell({ row, column }, above[name]);
      return;
    }
    if (ctrlKey || metaKey) return;
    const steps: Readonly<Record<string, readonly [row: number, column: number] | undefined>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      Enter: [shiftKey ? row - 1 : row + 1, column],
      ArrowRight: isAtEnd || isWhole ? [row, column + 1] : undefined,
      ArrowLeft: isAtStart || isWhole ? [row, column - 1] : undefined,
      Tab: tabStep(row, column, shiftKey, last),
    };
    const step = steps[key];
    // From an empty row, and from the first and last cell, the Tab key leaves the grid.
    const leaves = key === 'Tab' && !shiftKey && isBlank(rows[row] ?? blankRow);
    if (step === undefined || leaves || step[0] < 0 || step[0] >= rows.length) {
      if (key === 'Enter') event.preventDefault();
      return;
    }
    event.preventDefault();
    go(step[0], step[1]);
  };

  const paste = (event: ClipboardEvent<HTMLInputElement>, cell: CellPosition): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(text)) return;
    event.preventDefault();
    const { cells, isTitled } = blockOf(text);
    onBlock(isTitled ? { row: cell.row, column: 0 } : cell, cells);
  };

  return (
    <div ref={viewport} className="tag-grid">
      <datalist id="grid-types">
        {typeNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="grid-attributes">
        {attributes.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div
        role="grid"
        aria-label={t('grid.title')}
        aria-rowcount={rows.length + 1}
        style={{ minWidth: width }}
      >
        <div role="row" aria-rowindex={1} className="tag-grid-head" style={{ gridTemplateColumns: template }}>
          <div role="columnheader" aria-label={t('tags.row')} />
          {gridColumns.map((column) => (
            <div key={column} role="columnheader">
              {t(`tags.${column}`)}
            </div>
          ))}
        </div>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index: row, start }) => (
            <div
              key={row}
              role="row"
              aria-rowindex={row + 2}
              className="tag-grid-row"
              style={{ gridTemplateColumns: template, top: start, height: rowHeight }}
            >
              <div role="rowheader">{row + 1}</div>
              {gridColumns.map((column, at) => {
                const cell = { row, column: at };
                const problem = problemOf(cell);
                const isActive = active.row === row && active.column === at;
                return (
                  <div key={column} role="gridcell">
                    <input
                      data-cell={`${row}.${at}`}
                      data-autofocus={row === 0 && at === 0 ? true : undefined}
                      aria-label={t('grid.cell', { column: t(`tags.${column}`), row: row + 1 })}
                      aria-invalid={problem !== undefined}
                      aria-describedby={isActive ? describedBy : undefined}
                      title={problem}
                      list={lists[column]}
                      tabIndex={isActive ? 0 : -1}
                      spellCheck={false}
                      autoComplete="off"
                      value={rows[row]?.[column] ?? ''}
                      onFocus={() => onActive(cell)}
                      onChange={(event) => onCell(cell, event.currentTarget.value)}
                      onKeyDown={(event) => press(event, cell)}
                      onPaste={(event) => paste(event, cell)}
                    />
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const blankRow = Object.fromEntries(gridColumns.map((column) => [column, ''])) as unknown as TagText;

const isSelectedToEnd = ({ selectionEnd, value }: HTMLInputElement): boolean =>
  value.length > 0 && selectionEnd === value.length;

function tabStep(
  row: number,
  column: number,
  isBack: boolean,
  last: number,
): readonly [row: number, column: number] {
  if (isBack) return column === 0 ? [row - 1, last] : [row, column - 1];
  return column === last ? [row + 1, 0] : [row, column + 1];
}
