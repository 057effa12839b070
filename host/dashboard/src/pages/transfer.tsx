import { Button, FileInput, Group, Stack, Text, Title } from '@mantine/core';
import type { ConfigBody, PlanConfigReply } from '@tagway/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call, callRevised, ifMatch, isStale } from '../api/call.ts';
import { parseExact, stringifyExact } from '../api/exact-json.ts';
import { useIsLocked, useMayConfigure } from '../api/use-configure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { download, today } from '../parts/download.ts';
import { useAction } from '../parts/use-action.ts';
import { useSending } from '../parts/use-sending.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { configFrom, differencesOf, type Difference } from '../transfer/differences.ts';
import { PlanView, Sentences, totalsOf } from '../transfer/plan-view.tsx';
import { Snapshots } from '../transfer/snapshots.tsx';

interface Planned {
  readonly config: ConfigBody;
  readonly plan: PlanConfigReply & { readonly warnings?: readonly string[] };
  /** Of the configuration that the plan rests on. */
  readonly revision: string;
  readonly differences: readonly Difference[];
}

/** Exports the configuration to a file, and imports one after it has shown the changes. */
export default function Transfer(): ReactElement {
  const { t } = useTranslation();
  const mayEdit = useMayConfigure();
  const isLocked = useIsLocked();
  const queries = useQueryClient();
  const { isBusy, run } = useAction();
  const { isBusy: isComparing, error, run: send } = useSending();
  const [file, setFile] = useState<File | null>(null);
  const [planned, setPlanned] = useState<Planned>();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [isAsking, setAsking] = useState(false);

  async function save(): Promise<void> {
    const config = await call('GET', 'api/v2/global/config');
    const text = stringifyExact(config);
    download(`tagway-${today()}.json`, new Blob([text], { type: 'application/json' }));
  }

  async function compare(chosen: File | null): Promise<void> {
    setFile(chosen);
    setPlanned(undefined);
    setWarnings([]);
    await send(async () => {
      if (chosen === null) return;
      const config = configFrom(parsed(await chosen.text()));
      if (config === undefined) throw new Error(t('transfer.noConfig'));
      await look(config);
    });
  }

  async function look(config: ConfigBody): Promise<void> {
    const path = 'api/v2/global/config/plan';
    const { value: plan, revision } = await callRevised<Planned['plan']>('POST', path, { body: config });
    const present = await call<ConfigBody>('GET', 'api/v2/global/config');
    setPlanned({ config, plan, revision, differences: differencesOf(plan.differences, present, config) });
  }

  async function apply(): Promise<void> {
    setAsking(false);
    if (planned === undefined) return;
    const { config: body, revision } = planned;
    const headers = ifMatch(revision);
    let reply: { readonly warnings?: readonly string[] };
    try {
      reply = await call('PUT', 'api/v2/global/config', { body, headers });
    } catch (error) {
      if (!isStale(error)) throw error;
      await look(body);
      throw new Error(t('transfer.stale'), { cause: error });
    }
    setWarnings(reply.warnings ?? []);
    setPlanned(undefined);
    setFile(null);
    await queries.invalidateQueries();
  }

  const totals = planned === undefined ? { add: 0, change: 0, remove: 0 } : totalsOf(planned.plan);
  const problems = planned?.plan.problems ?? [];
  const isSame = totals.add + totals.change + totals.remove === 0;
  return (
    <Stack>
      <Title order={2}>{t('nav.transfer')}</Title>
      <Text size="sm">{t('transfer.about')}</Text>
      <Group align="flex-end">
        <Button loading={isBusy} onClick={() => void run(save, t('transfer.exported'))}>
          {t('transfer.export')}
        </Button>
        <FileInput
          label={t('transfer.file')}
          placeholder={t('tags.chooseFile')}
          accept=".json,application/json"
          value={file}
          clearable
          disabled={!mayEdit}
          description={mayEdit ? undefined : t(isLocked ? 'source.mayNot' : 'transfer.needsEngineer')}
          style={{ flex: '1 1 240px' }}
          onChange={(chosen) => void compare(chosen)}
        />
      </Group>
      {isComparing && (
        <Text size="sm" role="status">
          {t('transfer.comparing')}
        </Text>
      )}
      <ErrorAlert error={error} />
      <Sentences title={t('transfer.warnings')} color="yellow" all={warnings} />
      {planned !== undefined && (
        <>
          <Sentences
            title={t('transfer.problems', { n: problems.length })}
            color="red"
            all={problems.map(({ message }) => message)}
          />
          <Sentences title={t('transfer.leftOut')} color="yellow" all={planned.plan.warnings ?? []} />
          <PlanView plan={planned.plan} differences={planned.differences} height="max(260px, 45vh)" />
          {!isSame && (
            <Group>
              <Button
                color="red"
                disabled={!mayEdit || problems.length > 0}
                loading={isBusy}
                onClick={() => setAsking(true)}
              >
                {t('transfer.apply')}
              </Button>
            </Group>
          )}
        </>
      )}
      <Snapshots />
      <Confirm
        isOpen={isAsking}
        title={t('transfer.apply')}
        action={t('transfer.apply')}
        onClose={() => setAsking(false)}
        onConfirm={() => void run(apply, t('transfer.imported'))}
      >
        <Text size="sm">{t('transfer.sure', totals)}</Text>
        <Text size="sm">{t('transfer.snapshotBefore')}</Text>
      </Confirm>
    </Stack>
  );
}

/** Undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
