import { Anchor, ScrollArea, Text } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Isolated } from '../../parts/isolated.tsx';
import { logLineOf } from './log-line.ts';
import './logs.css';

interface Props {
  readonly rows: readonly string[];
  readonly isFollowing: boolean;
  /** Names of nodes, whose lines lead to them. */
  readonly nodes: ReadonlySet<string>;
}

/** Lines of the log as a table; while they are followed the view scrolls to the newest. */
export function Lines({ rows, isFollowing, nodes }: Props): ReactElement {
  const { t } = useTranslation();
  const viewport = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFollowing) viewport.current?.scrollTo({ top: viewport.current.scrollHeight });
  }, [rows, isFollowing]);
  return (
    <ScrollArea
      className="list-card"
      h="calc(100vh - 280px)"
      mih={240}
      viewportRef={viewport}
      viewportProps={{ tabIndex: 0, role: 'log', 'aria-label': t('logs.lines') }}
    >
      {rows.length === 0 && (
        <Text c="dimmed" p="md">
          {t('logs.none')}
        </Text>
      )}
      {rows.map((row, index) => (
        <Line key={`${index} ${row}`} row={row} nodes={nodes} />
      ))}
    </ScrollArea>
  );
}

function Line({ row, nodes }: { readonly row: string; readonly nodes: Props['nodes'] }): ReactElement {
  const line = logLineOf(row);
  if (line === undefined)
    return (
      <div className="log-line">
        <span className="text">
          <Isolated>{row}</Isolated>
        </span>
      </div>
    );
  const { time, level, source, text } = line;
  return (
    <div className={`log-line ${level.toLowerCase()}`}>
      <span className="time">{time}</span>
      <span className="level">{level}</span>
      <span className="source">
        {nodes.has(source) ? (
          <Anchor component={Link} to={`/nodes/${encodeURIComponent(source)}`} fz="inherit">
            <Isolated>{source}</Isolated>
          </Anchor>
        ) : (
          <Isolated>{source}</Isolated>
        )}
      </span>
      <span className="text">
        <Isolated>{text}</Isolated>
      </span>
    </div>
  );
}
