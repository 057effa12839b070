import {
  LinkState,
  NodeType,
  RunningState,
  type NodeStateRecord,
  type TrendsReply,
  tagsInError,
} from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { latestOf } from '../../api/trends.ts';
import { NumberCard } from '../../parts/number-card.tsx';
import { numberText } from '../../parts/number-text.ts';
import './state-numbers.css';

interface Props {
  readonly state: NodeStateRecord | undefined;
  readonly trend: TrendsReply['nodes'][number] | undefined;
}

/** Milliseconds that the gateway gives when it knows no response time. */
const unknownRtt = 9999;

const linkTexts = {
  [LinkState.DISCONNECTED]: 'state.disconnected',
  [LinkState.CONNECTING]: 'state.connecting',
  [LinkState.CONNECTED]: 'state.connected',
} as const;

/** Link, tags, response time, rate and traffic of a node, each with its last quarter of an hour. */
export function StateNumbers({ state, trend }: Props): ReactElement {
  const { t } = useTranslation();
  const isRunning = state?.running === RunningState.RUNNING;
  const isApp = trend?.type === NodeType.APP;
  const tags = trend?.groups.reduce((sum, group) => sum + group.tags, 0) ?? 0;
  const wrong = state === undefined ? 0 : tagsInError(state).reduce((sum, [, n]) => sum + n, 0);
  const sent = latestOf(trend?.sent) ?? 0;
  const received = latestOf(trend?.received) ?? 0;
  const rtts = trend?.rtt.filter((point) => point !== null).toSorted((a, b) => a - b) ?? [];
  return (
    <section className="state-numbers" aria-label={t('node.numbers')}>
      <NumberCard
        label={t('nodes.link')}
        value={state === undefined ? undefined : isRunning ? t(linkTexts[state.link]) : t('state.stopped')}
      />
      {isApp ? (
        <NumberCard label={t('nodes.subscriptions')} value={numberText(state?.sub_group_count ?? 0, 0)} />
      ) : (
        <NumberCard
          label={t('node.tagsGood')}
          value={trend === undefined ? undefined : numberText(tags - Math.min(wrong, tags), 0)}
          note={t('node.tagsWrong', { all: numberText(tags, 0), n: numberText(wrong, 0) })}
          points={trend?.errors}
          {...(wrong > 0 && { color: 'var(--bad)' })}
        />
      )}
      {!isApp && (
        <NumberCard
          label={t('nodes.rtt')}
          value={
            state === undefined || state.rtt >= unknownRtt || !isRunning
              ? undefined
              : numberText(state.rtt, 0)
          }
          unit="ms"
          note={
            rtts.length > 0
              ? t('node.rttNote', {
                  median: numberText(rtts[rtts.length >> 1]!),
                  most: numberText(rtts.at(-1)!),
                })
              : undefined
          }
          points={trend?.rtt}
          color="var(--accent)"
        />
      )}
      <NumberCard
        label={t(isApp ? 'node.messages' : 'overview.rate')}
        value={numberOf(latestOf(trend?.values), isRunning)}
        points={trend?.values}
        color="var(--accent)"
      />
      <NumberCard
        label={t('node.traffic')}
        value={trend === undefined ? undefined : numberText((sent + received) / 1000)}
        unit="kB/s"
        note={t('node.trafficNote', { received: numberText(received / 1000), sent: numberText(sent / 1000) })}
        points={trend?.received}
      />
    </section>
  );
}

const numberOf = (value: number | undefined, isRunning: boolean): string | undefined =>
  value === undefined || !isRunning ? undefined : numberText(value, value < 10 ? 1 : 0);
