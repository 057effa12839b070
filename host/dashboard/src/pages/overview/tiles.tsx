import { Text } from '@mantine/core';
import { type NodeStateRecord, type TrendsReply, healthOf, type Health, tagsInError } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { latestOf } from '../../api/trends.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Isolated } from '../../parts/isolated.tsx';
import { hasLosses } from '../../parts/node-losses.ts';
import { numberText } from '../../parts/number-text.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import '../../parts/tile.css';
import './overview.css';

interface Props {
  readonly states: readonly NodeStateRecord[];
  readonly trends: TrendsReply | undefined;
}

/** Tiles that are shown before one asks for more. */
const most = 60;

const lineColors: Readonly<Record<Health, string>> = {
  down: 'var(--bad)',
  degraded: 'var(--warn)',
  good: 'var(--calm)',
  stopped: 'var(--calm)',
};

/** Every node as a tile: how it is, what it does a second, and its last quarter of an hour. */
export function Tiles({ states, trends }: Props): ReactElement {
  const { t } = useTranslation();
  const [shown, setShown] = useState(most);
  const byName = new Map(trends?.nodes.map((trend) => [trend.node, trend]));
  return (
    <>
      <div className="overview-tiles">
        {states.slice(0, shown).map((state) => (
          <Tile key={state.node} state={state} trend={byName.get(state.node)} />
        ))}
      </div>
      {states.length > shown && (
        <Text mt="sm">
          <button type="button" className="plain-link" onClick={() => setShown(shown + 10 * most)}>
            {t('overview.showMore', { n: states.length - shown })}
          </button>
        </Text>
      )}
    </>
  );
}

interface TileProps {
  readonly state: NodeStateRecord;
  readonly trend: TrendsReply['nodes'][number] | undefined;
}

function Tile({ state, trend }: TileProps): ReactElement {
  const { t } = useTranslation();
  const health = healthOf(state);
  const rate = health === 'stopped' ? undefined : latestOf(trend?.values);
  return (
    <Link className={`tile node-tile ${health}`} to={`/nodes/${encodeURIComponent(state.node)}`}>
      <HealthMark health={health} />
      <Isolated className="name">{state.node}</Isolated>
      <span className="rate">
        {rate === undefined ? '–' : t('overview.perSecond', { n: numberText(rate, 0) })}
      </span>
      <span className="sentence">{useSentence(state, health, trend)}</span>
      <span className="foot">
        <Isolated>{trend?.plugin ?? ''}</Isolated>
        {trend !== undefined && <Sparkline points={trend.values} color={lineColors[health]} width={108} />}
      </span>
    </Link>
  );
}

/** How a node is, in one line. */
function useSentence(state: NodeStateRecord, health: Health, trend: TileProps['trend']): string {
  const { t } = useTranslation();
  const tags = trend?.groups.reduce((sum, group) => sum + group.tags, 0) ?? 0;
  const wrong = tagsInError(state).reduce((sum, [, n]) => sum + n, 0);
  if (health === 'down') return state.last_error?.text ?? t('health.down');
  if (health === 'stopped') return t('health.stopped');
  if (wrong > 0) return t('health.someOfTags', { n: wrong, all: tags });
  if (health === 'degraded' || hasLosses(state)) return t('overview.losses');
  return state.sub_group_count === undefined
    ? t('overview.tagsGood', { n: numberText(tags, 0) })
    : t('overview.groupsTaken', { n: state.sub_group_count });
}
