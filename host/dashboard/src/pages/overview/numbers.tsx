import { NodeType, type TrendsReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { firstOf, useMetrics } from '../../api/metrics.ts';
import { latestOf } from '../../api/trends.ts';
import { numberText } from '../../parts/number-text.ts';
import { NumberCard } from '../../parts/number-card.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import './overview.css';

const gibibyte = 2 ** 30;

/** What the gateway does and what it costs, each number with its last quarter of an hour. */
export function Numbers({ trends }: { readonly trends: TrendsReply | undefined }): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useMetrics();
  if (data === undefined) return <ErrorAlert error={error} />;
  const of = (name: string): number => firstOf(data.metrics, name) ?? 0;
  const drivers = trends?.nodes.filter(({ type }) => type === NodeType.DRIVER) ?? [];
  const groups = drivers.flatMap((driver) => driver.groups);
  const expected = groups.reduce((sum, { tags, interval }) => sum + (1000 * tags) / interval, 0);
  const tags = groups.reduce((sum, group) => sum + group.tags, 0);
  const gateway = trends?.gateway;
  const rate = latestOf(gateway?.values);
  const errors = latestOf(gateway?.errors);
  const kept = latestOf(gateway?.kept);
  const memory = `${numberText(of('mem_used_bytes') / gibibyte)} / ${numberText(of('mem_total_bytes') / gibibyte)} GiB`;
  return (
    <section className="overview-numbers" aria-label={t('overview.host')}>
      <NumberCard
        label={t('overview.rate')}
        value={rate === undefined ? undefined : numberText(rate, 0)}
        note={t('overview.expected', { n: numberText(expected, 0) })}
        points={gateway?.values}
        color="var(--accent)"
      />
      <NumberCard
        label={t('overview.errors')}
        value={errors === undefined ? undefined : numberText(errors, 0)}
        note={t('overview.ofTags', { n: numberText(tags, 0) })}
        points={gateway?.errors}
        {...((errors ?? 0) > 0 && { color: 'var(--bad)' })}
      />
      <NumberCard
        label={t('overview.kept')}
        value={kept === undefined ? undefined : numberText(kept, 0)}
        note={t((kept ?? 0) === 0 ? 'overview.nothingKept' : 'overview.someKept')}
        points={gateway?.kept}
      />
      <NumberCard
        label={t('overview.cpu')}
        value={numberText(of('cpu_percent'), 0)}
        unit={t('overview.ofCores', { n: of('cpu_cores') })}
        points={gateway?.cpu}
      />
      <NumberCard
        label={t('overview.own')}
        value={numberText(of('rss_bytes') / 2 ** 20, 0)}
        unit="MiB"
        note={t('overview.machine', { memory, disk: numberText(of('disk_avail_gibibytes'), 0) })}
        points={gateway?.memory}
      />
    </section>
  );
}
