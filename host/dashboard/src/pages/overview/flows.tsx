import { Card, Text, Title } from '@mantine/core';
import { type NodeStateRecord, type TrendsReply, healthOf, worstFirst, type Health } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../parts/number-text.ts';
import { flowsOf } from './flow-lines.ts';
import './overview.css';

interface Props {
  readonly trends: TrendsReply;
  readonly states: ReadonlyMap<string, NodeStateRecord> | undefined;
}

/** Nodes of a side that are drawn; with more of them nobody could follow a line. */
const most = 14;
const width = 560;
const rowHeight = 26;
const left = 170;
const right = width - 170;

const colors: Readonly<Record<Health, string>> = {
  down: 'var(--bad)',
  degraded: 'var(--warn)',
  good: 'var(--calm)',
  stopped: 'var(--line-strong)',
};

const cut = (name: string): string => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

/** How values flow from drivers to apps: a line is as thick as what flows on it. */
export function Flows({ trends, states }: Props): ReactElement {
  const { t } = useTranslation();
  const flows = flowsOf(trends);
  const named = (names: Iterable<string>): NodeStateRecord[] =>
    [...new Set(names)].flatMap((name) => states?.get(name) ?? []).toSorted(worstFirst);
  const drivers = named(flows.map(({ driver }) => driver)).slice(0, most);
  const apps = named(flows.map(({ app }) => app)).slice(0, most);
  const height = rowHeight * Math.max(drivers.length, 1.6 * apps.length, 1) + 8;
  const place = (index: number, of: number): number => 4 + ((index + 0.5) * (height - 8)) / of;
  const ys = {
    drivers: new Map(drivers.map(({ node }, index) => [node, place(index, drivers.length)])),
    apps: new Map(apps.map(({ node }, index) => [node, place(index, apps.length)])),
  };
  const top = Math.max(...flows.map(({ rate }) => rate), 1);
  const healthOfNode = (name: string): Health => {
    const state = states?.get(name);
    return state === undefined ? 'stopped' : healthOf(state);
  };
  const plugins = new Map(trends.nodes.map(({ node, plugin }) => [node, plugin]));
  return (
    <Card padding={0} component="section" aria-label={t('overview.flow')}>
      <div className="card-head">
        <Title order={3}>{t('overview.flow')}</Title>
        <Text size="xs" c="dimmed">
          {t('overview.flowUnit')}
        </Text>
      </div>
      {flows.length === 0 ? (
        <Text c="dimmed" px="md" pb="md">
          {t('overview.noFlow')}
        </Text>
      ) : (
        <svg className="flows" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={sentence()}>
          {flows.map(({ driver, app, rate }) => {
            const from = ys.drivers.get(driver);
            const to = ys.apps.get(app);
            if (from === undefined || to === undefined) return null;
            const middle = (left + right) / 2;
            const isGood = healthOfNode(driver) === 'good';
            return (
              <path
                key={`${driver}\n${app}`}
                d={`M${left + 6} ${from}C${middle} ${from} ${middle} ${to} ${right - 6} ${to}`}
                fill="none"
                stroke={isGood ? 'var(--accent)' : colors[healthOfNode(driver)]}
                strokeOpacity={0.35}
                strokeWidth={rate === 0 ? 1 : 1 + 7 * Math.sqrt(rate / top)}
                {...(rate === 0 && { strokeDasharray: '3 4' })}
              />
            );
          })}
          {drivers.map(({ node }) => (
            <g key={node}>
              <rect
                x={left}
                y={ys.drivers.get(node)! - 8}
                width={4}
                height={16}
                rx={1}
                fill={colors[healthOfNode(node)]}
              />
              <text
                x={left - 8}
                y={ys.drivers.get(node)! + 4}
                textAnchor="end"
                className={healthOfNode(node)}
              >
                {cut(node)}
              </text>
            </g>
          ))}
          {apps.map(({ node }) => (
            <g key={node}>
              <rect
                x={right - 4}
                y={ys.apps.get(node)! - 14}
                width={4}
                height={28}
                rx={1}
                fill={colors[healthOfNode(node)]}
              />
              <text x={right + 6} y={ys.apps.get(node)! - 2} className={healthOfNode(node)}>
                {cut(node)}
              </text>
              <text x={right + 6} y={ys.apps.get(node)! + 11} className="note">
                {cut(
                  `${t('overview.perSecond', { n: numberText(rateTo(node), 0) })} · ${plugins.get(node) ?? ''}`,
                )}
              </text>
            </g>
          ))}
        </svg>
      )}
    </Card>
  );

  function rateTo(name: string): number {
    return flows.filter(({ app }) => app === name).reduce((sum, { rate }) => sum + rate, 0);
  }

  /** The drawing in words. */
  function sentence(): string {
    return flows
      .map(({ driver, app, rate }) => t('overview.flowOf', { driver, app, n: numberText(rate, 0) }))
      .join(' ');
  }
}
