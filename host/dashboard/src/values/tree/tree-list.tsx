import { Loader, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { numberText } from '../../parts/number-text.ts';
import { AgeCell, ValueCell } from '../cells.tsx';
import type { Base } from '../value-text.ts';
import type { TreeRow } from './tree-rows.ts';
import './tree-list.css';

const rowHeight = 32;

/** Pixels by which what is below something is indented. */
const indent = 18;

interface Props {
  readonly rows: readonly TreeRow[];
  readonly base: Base;
  readonly empty: string;
  readonly onToggle: (row: TreeRow) => void;
  /** A tag was chosen. */
  readonly onChoose: (row: TreeRow) => void;
  readonly onVisible: (rows: readonly TreeRow[]) => void;
}

/** The rows of the tree, of which the visible ones alone are in the document; the arrows go through all of them. */
export function TreeList({ rows, base, empty, onToggle, onChoose, onVisible }: Props): ReactElement {
  const { t } = useTranslation();
  const id = useId();
  const viewport = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState('');
  const at = Math.max(
    0,
    rows.findIndex(({ branch }) => branch.key === activeKey),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => onVisible(rows.slice(first, last + 1)), [onVisible, rows, first, last]);

  const go = (to: number): void => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    const row = rows[index];
    if (row === undefined) return;
    setActiveKey(row.branch.key);
    virtual.scrollToIndex(index);
  };
  const act = (row: TreeRow): void => (row.canOpen ? onToggle(row) : onChoose(row));
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined) return;
    const page = Math.max(1, last - first - 16);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + page),
      PageUp: () => go(at - page),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.canOpen && !row.isOpen ? onToggle(row) : go(at + 1)),
      ArrowLeft: () => {
        if (row.isOpen) return onToggle(row);
        const parent = rows.findLastIndex(
          ({ branch }, index) => index < at && branch.depth < row.branch.depth,
        );
        if (parent >= 0) go(parent);
      },
      Enter: () => act(row),
      ' ': () => act(row),
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move();
  };

  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md" className="list-card">
        {empty}
      </Text>
    );
  return (
    <div
      ref={viewport}
      className="tag-tree list-card"
      role="tree"
      aria-label={t('tree.title')}
      aria-activedescendant={`${id}${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={{ maxHeight: 'max(320px, calc(100vh - 270px))' }}
    >
      <div role="presentation" style={{ position: 'relative', height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          const { branch, isOpen, canOpen, isLoading } = row;
          return (
            <div
              key={branch.key}
              id={`${id}${index}`}
              role="treeitem"
              aria-level={branch.depth + 1}
              aria-selected={index === at}
              {...(canOpen && { 'aria-expanded': isOpen })}
              className={index === at ? 'active' : ''}
              style={{ top: start, height: rowHeight, paddingInlineStart: 8 + branch.depth * indent }}
              onClick={() => {
                setActiveKey(branch.key);
                act(row);
              }}
            >
              <Twisty canOpen={canOpen} isOpen={isOpen} />
              <Text className="name" truncate fw={branch.tag === undefined ? 550 : 400} title={branch.name}>
                <Isolated>{branch.name}</Isolated>
              </Text>
              {isLoading === true && <Loader size={14} aria-label={t('tree.loading')} />}
              <Side row={row} base={base} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Twisty({ canOpen, isOpen }: Pick<TreeRow, 'canOpen' | 'isOpen'>): ReactElement {
  if (!canOpen) return <span style={{ width: 16 }} />;
  return isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />;
}

/** The value of a tag, or how many tags there are below. */
function Side({ row, base }: { readonly row: TreeRow; readonly base: Base }): ReactElement {
  const { t } = useTranslation();
  const { branch, group } = row;
  const { tag } = branch;
  if (tag === undefined || group === undefined)
    return (
      <Text size="xs" c="dimmed">
        {t('tree.tags', { count: branch.count, n: numberText(branch.count) })}
      </Text>
    );
  const reference = { ...group, name: tag.name };
  return (
    <>
      <ValueCell {...reference} type={tag.type} base={base} unit={tag.unit} />
      <span style={{ minWidth: 70, textAlign: 'end', whiteSpace: 'nowrap' }}>
        <AgeCell {...reference} />
      </span>
    </>
  );
}
