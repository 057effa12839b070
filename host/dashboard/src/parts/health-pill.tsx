import { type NodeStateRecord, healthOf, type Health, tagsInError } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../live/use-live.ts';
import { HealthMark } from './health-mark.tsx';

interface Props {
  readonly state: NodeStateRecord;
  /** Tags of the node, where they are known: how many of them are in error is said then. */
  readonly tags?: number | undefined;
}

/** How a node is, as a pill. Without colour while the connection to the gateway is lost. */
export function HealthPill({ state, tags }: Props): ReactElement {
  const { t } = useTranslation();
  const isLost = useConnection().state === 'lost';
  const health = healthOf(state);
  const n = tagsInError(state).reduce((sum, [, count]) => sum + count, 0);
  const text =
    health !== 'degraded' || n === 0
      ? t(`health.${health}`)
      : t(tags === undefined ? 'health.someTags' : 'health.someOfTags', { n, all: tags ?? 0 });
  return <Pill health={health} isLost={isLost} text={text} />;
}

interface PillProps {
  readonly health: Health;
  readonly isLost?: boolean;
  readonly text: string;
}

/** A state in words with its mark. */
export const Pill = ({ health, isLost = false, text }: PillProps): ReactElement => (
  <span className={`health-pill ${isLost ? '' : health}`}>
    <HealthMark health={health} />
    {text}
  </span>
);
