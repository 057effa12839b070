import { VisuallyHidden } from '@mantine/core';
import { healths, type FleetMember, type FleetNode, type Health } from '@tagway/schemas';
import { memo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Isolated } from '../../parts/isolated.tsx';
import { useAge, useNow } from '../../shell/age.ts';

const marks = { unreachable: 'down', waiting: 'stopped', standby: 'good' } as const;

/** The mark of a gateway: that of a node which is as it is. */
export const markOf = (health: FleetMember['health']): Health =>
  health === 'unreachable' || health === 'waiting' || health === 'standby' ? marks[health] : health;

interface Props {
  readonly member: FleetMember;
}

/** A gateway of the fleet: how it is, its worst nodes, and the way to its page. */
export const FleetTile = memo(({ member }: Props): ReactElement => {
  const { t } = useTranslation();
  const { name, url, health, version, worst } = member;
  const mark = markOf(health);
  return (
    <a className={`tile fleet-tile ${mark}`} href={url} target="_blank" rel="noopener noreferrer">
      <HealthMark health={mark} />
      <Isolated className="name">{name}</Isolated>
      <span className="version">{version}</span>
      <span className="sentence">
        <Sentence member={member} />
      </span>
      {worst.map((node) => (
        <WorstNode key={node.node} node={node} />
      ))}
      <Foot member={member} />
      <VisuallyHidden component="span">{t('fleet.opens')}</VisuallyHidden>
    </a>
  );
});
FleetTile.displayName = 'FleetTile';

function Sentence({ member }: Props): ReactElement {
  const { t } = useTranslation();
  const { health, message, nodes, pair } = member;
  if (health === 'unreachable') return <bdi>{message}</bdi>;
  if (health === 'waiting') return <>{t('fleet.waiting')}</>;
  if (health === 'standby') return <>{t('fleet.standby', { pair: pair?.id ?? '' })}</>;
  const counts = healths.flatMap((one) => {
    const n = nodes?.[one] ?? 0;
    return n === 0 ? [] : t(`health.${one}Count`, { n });
  });
  return <>{counts.length === 0 ? t('fleet.noNodes') : counts.join(', ')}</>;
}

/** One node in one line. */
function WorstNode({ node }: { readonly node: FleetNode }): ReactElement {
  const { t } = useTranslation();
  const { health, message, tags_in_error: tags, slow_groups: slow } = node;
  const why = (): string => {
    if (health === 'down') return message ?? t('health.down');
    if (tags > 0) return t('health.someTags', { n: tags });
    return t('fleet.slow', { count: slow });
  };
  return (
    <span className="node">
      <HealthMark health={health} />
      <Isolated className="node-name">{node.node}</Isolated>
      <Isolated className="why">{why()}</Isolated>
    </span>
  );
}

/** Where it is, its role, what wants an acknowledgement, and how long a gateway has not been reached. */
function Foot({ member }: Props): ReactElement {
  const { t } = useTranslation();
  const { url, health, since, alarms = 0, pair, source } = member;
  return (
    <span className="foot">
      <Isolated className="place">{url.replace(/^https?:\/\//, '').replace(/\/$/, '')}</Isolated>
      {pair?.role === 'active' && <span>{t('fleet.active', { pair: pair.id })}</span>}
      {source !== undefined && <Commit source={source} />}
      {alarms > 0 && <span className="alarms">{t('fleet.alarms', { count: alarms })}</span>}
      {health === 'unreachable' && since !== undefined && <Since since={since} />}
    </span>
  );
}

/** Which configuration it has, and what of it is not as it should be. */
function Commit({ source }: { readonly source: NonNullable<FleetMember['source']> }): ReactElement {
  const { t } = useTranslation();
  const { commit, subject, drift, problem } = source;
  return (
    <>
      <span title={subject}>
        <Isolated className="commit">{commit.slice(0, 12)}</Isolated>
      </span>
      {problem !== undefined && <span className="alarms">{t('fleet.notApplied')}</span>}
      {drift > 0 && <span className="alarms">{t('fleet.drift', { count: drift })}</span>}
    </>
  );
}

function Since({ since }: { readonly since: number }): ReactElement {
  const { t } = useTranslation();
  const age = useAge();
  return <span>{t('fleet.since', { age: age(useNow() - since) })}</span>;
}
