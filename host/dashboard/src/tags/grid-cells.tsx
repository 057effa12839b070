import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ClipboardEvent, type KeyboardEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { typeNames } from '../values/data-types.ts';
import { blockOf, gridColumns, isBlank, type GridColumn, type Place } from './grid-rows.ts';
import './grid-cells.css';
import type { TagText } from './tag-text.ts';

interface Props {
  readonly rows: readonly TagText[];
  readonly active: Place;
  /** What is wrong with a cell; undefined where nothing is. */
  readonly problemOf: (place: Place) => string | undefined;
  /** Of the element that says what is wrong with the active cell. */
  readonly describedBy: string;
  readonly onActive: (place: Place) => void;
  readonly onCell: (place: Place, text: string) => void;
  readonly onBlock: (place: Place, cells: readonly (readonly (string | undefined)[])[]) => void;
}

const rowHeight = 32;
/** Pixels of each column. */
const widths: Readonly<Record<GridColumn, number>> = {
  ...{ name: 190, address: 180, type: 96, attribute: 150, description: 200 },
  ...{ decimal: 90, bias: 80, precision: 80, value: 110 },
};
const head = 44;
const width = gridColumns.reduce((sum, column) => sum + widths[column], head);
const template = `${head}px ${gridColumns.map((column) => `minmax(${widths[column]}px, ${widths[column]}fr)`).join(' ')}`;
const attributes = ['Read', 'Write', 'Read Write', 'Subscribe', 'Read Subscribe', 'Static'];
const lists: Readonly<Partial<Record<GridColumn, string>>> = {
  type: 'grid-types',
  attribute: 'grid-attributes',
};

/** Cells to write into as in a spreadsheet; those in sight alone are in the document. */
export function GridCells(props: Props): ReactElement {
  const { rows, active, problemOf, describedBy, onActive, onCell, onBlock } = props;
  const { t } = useTranslation();
  const viewport = useRef<HTMLDivElement>(null);
  const wanted = useRef<Place>(undefined);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });

  // A cell that was out of sight is there one drawing later.
  useEffect(() => {
    const place = wanted.current;
    if (place === undefined) return;
    const input = viewport.current?.querySelector<HTMLInputElement>(
      `[data-cell="${place.row}.${place.column}"]`,
    );
    if (!input) return;
    wanted.current = undefined;
    input.focus();
    input.select();
  });

  const go = (row: number, column: number): void => {
    if (row < 0 || row >= rows.length || column < 0 || column >= gridColumns.length) return;
    wanted.current = { row, column };
    virtual.scrollToIndex(row);
    onActive({ row, column });
  };

  const press = (event: KeyboardEvent<HTMLInputElement>, { row, column }: Place): void => {
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
    // Out of an empty row, and out of the corners, the tabulator leads on to what follows the grid.
    const leaves = key === 'Tab' && !shiftKey && isBlank(rows[row] ?? blankRow);
    if (step === undefined || leaves || step[0] < 0 || step[0] >= rows.length) {
      if (key === 'Enter') event.preventDefault();
      return;
    }
    event.preventDefault();
    go(step[0], step[1]);
  };

  const paste = (event: ClipboardEvent<HTMLInputElement>, place: Place): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(text)) return;
    event.preventDefault();
    const { cells, isTitled } = blockOf(text);
    onBlock(isTitled ? { row: place.row, column: 0 } : place, cells);
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
                const place = { row, column: at };
                const problem = problemOf(place);
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
                      onFocus={() => onActive(place)}
                      onChange={(event) => onCell(place, event.currentTarget.value)}
                      onKeyDown={(event) => press(event, place)}
                      onPaste={(event) => paste(event, place)}
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
