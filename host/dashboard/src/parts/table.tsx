import { ScrollArea, Table as MantineTable, Text, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** The sort key of a row; a column without it cannot be sorted. */
  readonly order?: (row: Row) => string | number;
  readonly width?: number | string;
  /** Numbers stand at the right, so that their digits are below each other. */
  readonly isNumber?: boolean;
  /** Takes the width that the other columns leave; what is longer is cut off. */
  readonly isFilling?: boolean;
  /** Not on a phone: what it says is also said where the row leads to. */
  readonly isLeftOut?: boolean;
}

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly height?: string;
  /** Height of each row in pixels. */
  readonly rowHeight?: number;
  /** Shown when there is no row. */
  readonly empty?: ReactNode;
  /** Called with the visible rows and their neighbours when they change. */
  readonly onVisible?: (rows: readonly Row[]) => void;
  /** Called with the key of the column that the user sorts by. */
  readonly onSort?: (key: string) => void;
}

/** Height of most rows in pixels. It is fixed, so that no row is measured and ten thousand rows cost no more than the visible ones. */
const lineHeight = 36;

/** What a column that fills the list has at least. */
const leastFilling = 140;

/** Height of the list in pixels in a low window. */
const leastHeight = 320;

const oneLine = { whiteSpace: 'nowrap' } as const;

/** A cell of no width of its own, so that a long text does not widen the list. */
const filling = {
  ...oneLine,
  minWidth: leastFilling,
  maxWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
} as const;

/** A list of any length, sorted by a click on a title. Only visible rows are in the document. */
export function Table<Row>(props: Props<Row>): ReactElement {
  const { rows, columns, keyOf, label, height = 'calc(100vh - 220px)', rowHeight = lineHeight } = props;
  const { empty, onVisible, onSort } = props;
  const { t } = useTranslation();
  const [sorting, setSorting] = useState<{ readonly key: string; readonly isDown: boolean }>();
  const viewport = useRef<HTMLDivElement>(null);
  const sorted = useMemo(() => {
    const order = columns.find(({ key }) => key === sorting?.key)?.order;
    if (order === undefined) return rows;
    const sign = sorting?.isDown === true ? -1 : 1;
    return rows.toSorted((a, b) => sign * compare(order(a), order(b)));
  }, [rows, columns, sorting]);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => onVisible?.(sorted.slice(first, last + 1)), [onVisible, sorted, first, last]);
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  return (
    <ScrollArea.Autosize
      className="list-card"
      // Some rows are visible also in a low window.
      mah={`max(${leastHeight}px, ${height})`}
      viewportRef={viewport}
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}
      type="auto"
      // A bar beside the rows, not above the last of them.
      offsetScrollbars="present"
    >
      <MantineTable stickyHeader highlightOnHover aria-label={label} aria-rowcount={sorted.length + 1}>
        <MantineTable.Thead>
          <MantineTable.Tr>
            {columns.map(({ key, title, order, width, isNumber = false, isFilling, isLeftOut }) => (
              <MantineTable.Th
                key={key}
                w={isFilling === true ? '100%' : width}
                {...(isFilling === true && { miw: leastFilling })}
                {...(isLeftOut === true && { visibleFrom: 'sm' })}
                // Chinese breaks between any two characters, so a narrow title would have one character per line.
                style={{ wordBreak: 'keep-all' }}
                {...(isNumber && { ta: 'right' })}
                aria-sort={sorting?.key !== key ? 'none' : sorting.isDown ? 'descending' : 'ascending'}
              >
                {order === undefined ? (
                  title
                ) : (
                  <UnstyledButton
                    fz="inherit"
                    fw={600}
                    onClick={() => {
                      setSorting({ key, isDown: sorting?.key === key && !sorting.isDown });
                      onSort?.(key);
                    }}
                  >
                    {title}
                    {sorting?.key === key && (sorting.isDown ? ' ↓' : ' ↑')}
                  </UnstyledButton>
                )}
              </MantineTable.Th>
            ))}
          </MantineTable.Tr>
        </MantineTable.Thead>
        <MantineTable.Tbody>
          <Gap height={above} />
          {items.map(({ index }) => {
            const row = sorted[index];
            if (row === undefined) return null;
            return (
              <MantineTable.Tr key={keyOf(row)} h={rowHeight} aria-rowindex={index + 2}>
                {columns.map(({ key, cell, isNumber = false, isFilling, isLeftOut }) => (
                  <MantineTable.Td
                    key={key}
                    py={2}
                    style={isFilling === true ? filling : oneLine}
                    {...(isLeftOut === true && { visibleFrom: 'sm' })}
                    {...(isNumber && { className: 'number' })}
                  >
                    {cell(row)}
                  </MantineTable.Td>
                ))}
              </MantineTable.Tr>
            );
          })}
          <Gap height={below} />
        </MantineTable.Tbody>
      </MantineTable>
      {rows.length === 0 && (
        <Text c="dimmed" p="md">
          {empty ?? t('app.none')}
        </Text>
      )}
    </ScrollArea.Autosize>
  );
}

/** Fills the space of rows that are not in the document. */
function Gap({ height }: { readonly height: number }): ReactElement | null {
  return height <= 0 ? null : (
    <MantineTable.Tr aria-hidden>
      <MantineTable.Td h={height} p={0} style={{ border: 0 }} />
    </MantineTable.Tr>
  );
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
