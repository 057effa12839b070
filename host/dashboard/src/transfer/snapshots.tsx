import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type {
  PlanSnapshotReply,
  RestoreSnapshotReply,
  SnapshotRecord,
  SnapshotsReply,
} from '@tagway/schemas';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call, callRevised, ifMatch, isStale } from '../api/call.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { useMay } from '../api/use-role.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { timeText } from '../parts/times.ts';
import { useAction } from '../parts/use-action.ts';
import { useSending } from '../parts/use-sending.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { differencesOf } from './differences.ts';
import { PlanView, Sentences, totalsOf } from './plan-view.tsx';

/** The snapshots of the configuration: makes one, or restores one. */
export function Snapshots(): ReactElement {
  const { t } = useTranslation();
  const mayEdit = useMay('engineer');
  const mayRestore = useMayConfigure();
  const queries = useQueryClient();
  const { isBusy, run } = useAction();
  const [chosen, setChosen] = useState<SnapshotRecord>();
  const { data: snapshots, error } = useQuery({
    queryKey: ['snapshots'],
    queryFn: async () => (await call<SnapshotsReply>('GET', 'api/v2/snapshots')).snapshots,
  });
  const make = async (): Promise<void> => {
    await call('POST', 'api/v2/snapshots', { body: {} });
    await queries.invalidateQueries({ queryKey: ['snapshots'] });
  };
  const columns: readonly Column<SnapshotRecord>[] = [
    {
      key: 'time',
      title: t('snapshots.time'),
      order: ({ time }) => time,
      cell: ({ time }) => timeText(time),
    },
    {
      key: 'reason',
      title: t('snapshots.reason'),
      order: ({ reason }) => reason,
      cell: ({ reason }) => t(`snapshots.reasons.${reason}`),
    },
    {
      key: 'size',
      title: t('snapshots.size'),
      width: 110,
      order: ({ size }) => size,
      cell: ({ size }) => t('snapshots.kilobytes', { n: Math.ceil(size / 1024) }),
    },
    {
      key: 'actions',
      title: '',
      width: 130,
      cell: (snapshot) => (
        <Button
          size="compact-xs"
          variant="default"
          disabled={!mayRestore}
          aria-label={t('snapshots.restoreOf', { time: timeText(snapshot.time) })}
          onClick={() => setChosen(snapshot)}
        >
          {t('snapshots.restore')}
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="sm">
      <Title order={3}>{t('snapshots.title')}</Title>
      <Text size="sm">{t('snapshots.about')}</Text>
      <Group>
        <Button
          variant="default"
          disabled={!mayEdit}
          loading={isBusy}
          onClick={() => void run(make, t('snapshots.made'))}
        >
          {t('snapshots.make')}
        </Button>
      </Group>
      <ErrorAlert error={error} />
      {snapshots !== undefined && (
        <Table
          rows={snapshots}
          columns={columns}
          keyOf={({ id }) => id}
          label={t('snapshots.title')}
          height="420px"
        />
      )}
      {chosen !== undefined && <Restore snapshot={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}

type Warned = { readonly warnings?: readonly string[] };

/** Restores a snapshot, after it has shown what that changes and what is not restored. */
function Restore({
  snapshot,
  onClose,
}: {
  readonly snapshot: SnapshotRecord;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { isBusy, error, run } = useSending();
  const { run: say } = useAction();
  const [warnings, setWarnings] = useState<readonly string[]>();
  const { id } = snapshot;
  const { data, error: failure } = useQuery({
    queryKey: ['snapshots', id, 'plan'],
    queryFn: () => callRevised<PlanSnapshotReply & Warned>('POST', 'api/v2/snapshots/plan', { body: { id } }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const plan = data?.value;
  const differences = useMemo(() => differencesOf(plan?.differences ?? []), [plan]);
  const restore = (): Promise<void> =>
    run(async () => {
      const headers = ifMatch(data?.revision ?? '');
      const reply = await call<RestoreSnapshotReply & Warned>('POST', 'api/v2/snapshots/restore', {
        body: { id },
        headers,
      }).catch(async (refusal: unknown) => {
        if (!isStale(refusal)) throw refusal;
        await queries.invalidateQueries({ queryKey: ['snapshots', id, 'plan'] });
        throw new Error(t('transfer.stale'), { cause: refusal });
      });
      if ((reply.warnings ?? []).length > 0) setWarnings(reply.warnings);
      else onClose();
      await say(
        () => queries.invalidateQueries(),
        t('snapshots.restored', { time: timeText(snapshot.time) }),
      );
    });
  if (warnings !== undefined) {
    return (
      <Dialog
        title={t('snapshots.restored', { time: timeText(snapshot.time) })}
        action={t('app.close')}
        hasCancel={false}
        isBusy={false}
        error={undefined}
        onSubmit={onClose}
        onClose={onClose}
      >
        <Sentences title={t('transfer.warnings')} color="yellow" all={warnings} />
      </Dialog>
    );
  }
  const changes = plan === undefined ? 0 : Object.values(totalsOf(plan)).reduce((sum, n) => sum + n, 0);
  return (
    <Dialog
      size="xl"
      title={t('snapshots.restoreOf', { time: timeText(snapshot.time) })}
      action={t('snapshots.restore')}
      isBusy={isBusy}
      isDisabled={changes === 0}
      error={error ?? failure}
      onSubmit={() => void restore()}
      onClose={onClose}
    >
      {plan === undefined ? (
        failure === null && <Text size="sm">{t('app.loading')}</Text>
      ) : (
        <>
          <Text size="sm">{t('snapshots.sure')}</Text>
          <PlanView plan={plan} differences={differences} height="240px" />
          <Sentences title={t('transfer.warnings')} color="yellow" all={plan.warnings ?? []} />
          <Sentences title={t('snapshots.notRestored')} color="gray" all={plan.not_restored} />
        </>
      )}
    </Dialog>
  );
}
