import { ScrollArea, Table as MantineTable, Text, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** What rows are ordered by; a column without it does not sort. */
  readonly order?: (row: Row) => string | number;
  readonly width?: number | string;
}

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** What the list is of, for who does not see it. */
  readonly label: string;
  readonly height?: string;
  /** Shown where there is no row. */
  readonly empty?: ReactNode;
  /** Called with the rows that are in sight or nearly, whenever they are others. */
  readonly onVisible?: (rows: readonly Row[]) => void;
  /** Called with the key of the column that somebody sorts by. */
  readonly onSort?: (key: string) => void;
}

/** Pixels of a row: none is measured, so that ten thousand cost no more than the ones in sight. */
const rowHeight = 40;

/** Pixels of the list in a window that is low. */
const leastHeight = 320;

/** A list of any length: sorted by a click on a title, with the rows in sight alone in the document. */
export function Table<Row>(props: Props<Row>): ReactElement {
  const { rows, columns, keyOf, label, height = 'calc(100vh - 220px)', empty, onVisible, onSort } = props;
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
      // However low the window is, some rows are in sight.
      mah={`max(${leastHeight}px, ${height})`}
      viewportRef={viewport}
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}
      type="auto"
    >
      <MantineTable stickyHeader highlightOnHover aria-label={label} aria-rowcount={sorted.length + 1}>
        <MantineTable.Thead>
          <MantineTable.Tr>
            {columns.map(({ key, title, order, width }) => (
              <MantineTable.Th
                key={key}
                w={width}
                // Chinese would break between any two characters, and a narrow column into a line for each.
                style={{ wordBreak: 'keep-all' }}
                aria-sort={sorting?.key !== key ? 'none' : sorting.isDown ? 'descending' : 'ascending'}
              >
                {order === undefined ? (
                  title
                ) : (
                  <UnstyledButton
                    fz="sm"
                    fw={700}
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
                {columns.map(({ key, cell }) => (
                  <MantineTable.Td key={key} py={2} style={{ whiteSpace: 'nowrap' }}>
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

/** Takes the room of the rows that are out of sight. */
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
