import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { useTranslation } from 'react-i18next';
import './cell-grid.css';

/** The indexes of a cell's row and column. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export interface GridColumn {
  readonly key: string;
  readonly title: string;
  /** Least width in pixels. */
  readonly width: number;
  /** Texts that are proposed while somebody writes. */
  readonly choices?: readonly string[];
}

interface Props {
  /** The name of the grid for screen readers. */
  readonly label: string;
  /** The same from render to render. */
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  readonly textOf: (cell: CellPosition) => string;
  readonly isBlank: (row: number) => boolean;
  readonly active: CellPosition;
  /** The problem of a cell; undefined without one. */
  readonly problemOf: (cell: CellPosition) => string | undefined;
  /** The id of the element that shows the problem of the active cell. */
  readonly describedBy: string;
  /** A cell to go to; a new object goes there again. */
  readonly target: CellPosition | undefined;
  readonly onActive: (cell: CellPosition) => void;
  readonly onCell: (cell: CellPosition, text: string) => void;
  /** Text of several cells was pasted into a cell. */
  readonly onPaste: (cell: CellPosition, text: string) => void;
}

const rowHeight = 32;
const head = 44;

/** Cells that are edited as in a spreadsheet. Only visible rows are in the document. */
export function CellGrid(props: Props): ReactElement {
  const { label, columns, rowCount, textOf, isBlank, active, problemOf, describedBy, target } = props;
  const { onActive, onCell, onPaste } = props;
  const { t } = useTranslation();
  const lists = useId();
  const viewport = useRef<HTMLDivElement>(null);
  const cellToFocus = useRef<CellPosition>(undefined);
  const virtual = useVirtualizer({
    count: rowCount,
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
    if (row < 0 || row >= rowCount || column < 0 || column >= columns.length) return;
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
    const last = columns.length - 1;
    if (altKey) return;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'd') {
      event.preventDefault();
      if (row > 0) onCell({ row, column }, textOf({ row: row - 1, column }));
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
    const leaves = key === 'Tab' && !shiftKey && isBlank(row);
    if (step === undefined || leaves || step[0] < 0 || step[0] >= rowCount) {
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
    onPaste(cell, text);
  };

  const width = columns.reduce((sum, column) => sum + column.width, head);
  const template = `${head}px ${columns.map((column) => `minmax(${column.width}px, ${column.width}fr)`).join(' ')}`;
  return (
    <div ref={viewport} className="cell-grid">
      {columns.map(
        ({ key, choices }) =>
          choices !== undefined && (
            <datalist key={key} id={`${lists}${key}`}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          ),
      )}
      <div role="grid" aria-label={label} aria-rowcount={rowCount + 1} style={{ minWidth: width }}>
        <div
          role="row"
          aria-rowindex={1}
          className="cell-grid-head"
          style={{ gridTemplateColumns: template }}
        >
          <div role="columnheader" aria-label={t('tags.row')} />
          {columns.map(({ key, title }) => (
            <div key={key} role="columnheader" title={title}>
              {title}
            </div>
          ))}
        </div>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index: row, start }) => (
            <div
              key={row}
              role="row"
              aria-rowindex={row + 2}
              className="cell-grid-row"
              style={{ gridTemplateColumns: template, top: start, height: rowHeight }}
            >
              <div role="rowheader">{row + 1}</div>
              {columns.map(({ key, title, choices }, at) => {
                const cell = { row, column: at };
                const problem = problemOf(cell);
                const isActive = active.row === row && active.column === at;
                return (
                  <div key={key} role="gridcell">
                    <input
                      data-cell={`${row}.${at}`}
                      data-autofocus={row === 0 && at === 0 ? true : undefined}
                      aria-label={t('grid.cell', { column: title, row: row + 1 })}
                      aria-invalid={problem !== undefined}
                      aria-describedby={isActive ? describedBy : undefined}
                      title={problem}
                      list={choices === undefined ? undefined : `${lists}${key}`}
                      tabIndex={isActive ? 0 : -1}
                      spellCheck={false}
                      autoComplete="off"
                      value={textOf(cell)}
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
