import { Badge, Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { PairStatus } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/use-role.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { timeText } from '../../parts/times.ts';
import { useAction } from '../../parts/use-action.ts';

/** The pair that the gateway belongs to. */
export default function Pair({ pair }: { readonly pair: PairStatus }): ReactElement {
  const { t } = useTranslation();
  const { role, holder, lease_age_ms: age, replication_lag: lag, last_switch: last, members } = pair;
  return (
    <Card withBorder padding="sm" component="section" aria-label={t('pair.title')}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={600}>{t('pair.title')}</Text>
            <Badge color={role === 'active' ? 'teal' : 'cyan'} variant="light">
              {t(role === 'active' ? 'pair.isActive' : 'pair.isStandby')}
            </Badge>
            {!pair.reachable && <Badge color="red">{t('pair.etcdLost')}</Badge>}
            {pair.reachable && pair.etcd_problem !== null && (
              <Badge color="red">{t('pair.etcdRefuses')}</Badge>
            )}
          </Group>
          <HandOver pair={pair} />
        </Group>
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Fact name={t('pair.holder')} value={holder ?? t('pair.nobody')} />
          <Fact name={t('pair.lease')} value={age === null ? '–' : t('pair.ms', { n: age })} />
          <Fact
            name={t('pair.lag')}
            value={lag === null ? '–' : t('pair.behind', { n: lag.entries, ms: lag.ms })}
          />
          <Fact
            name={t('pair.there')}
            value={members.map(({ name, ready }) => (ready ? name : t('pair.notReady', { name }))).join(', ')}
          />
        </SimpleGrid>
        {pair.etcd_problem !== null && (
          <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
            {pair.etcd_problem}
          </Text>
        )}
        {last !== null && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {t('pair.last', { time: timeText(last.time), from: last.from, to: last.to, reason: last.reason })}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
    </div>
  );
}

/** Hands over to the other gateway; for admins, on the active gateway. The gateway refuses it when the other one cannot take over. */
function HandOver({ pair }: { readonly pair: PairStatus }): ReactElement | null {
  const { t } = useTranslation();
  const mayHandOver = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  const { run, isBusy } = useAction();
  if (pair.role !== 'active' || !mayHandOver) return null;
  const handOver = async (): Promise<void> => {
    await run(() => call('POST', 'api/v2/pair/switch', { body: {} }), t('pair.handedOver'));
    setOpen(false);
  };
  return (
    <>
      <Button size="xs" variant="default" disabled={pair.handing_over} onClick={() => setOpen(true)}>
        {t('pair.handOver')}
      </Button>
      <Confirm
        isOpen={isOpen}
        title={t('pair.handOver')}
        action={t('pair.handOver')}
        isBusy={isBusy}
        onConfirm={() => void handOver()}
        onClose={() => setOpen(false)}
      >
        <Text size="sm">{t('pair.handOverMeaning')}</Text>
      </Confirm>
    </>
  );
}
