import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import type { DirectoryJobBody, PackageReply } from '@tagway/schemas';
import { useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useRefresh } from '../../api/queries.ts';
import { useSending } from '../../parts/use-sending.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { cancelJob, isOpen, startJob, useJob } from './directory.ts';
import { JobProgress } from './job-progress.tsx';
import { plainText } from './plain-text.ts';

type Caution = PackageReply['cautions'][number];

/** Installs a version, or updates to it, once everything that speaks against it has been read and confirmed. */
export function InstallPackage({ reply }: { readonly reply: PackageReply }): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { isBusy, error, run } = useSending();
  const [id, setId] = useState<string>();
  const { data: job, error: lost } = useJob(id);
  const { package: found } = reply;
  // What was found out while it was installed counts as well as what was known before.
  const conflict = job?.conflict ?? reply.conflict;
  const cautions = merged(reply.cautions, job?.cautions ?? []);
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
  const isConfirmed =
    cautions.every(({ kind }) => confirmed.has(kind)) &&
    (conflict === undefined || confirmed.has(takesPlace));
  const isRunning = isBusy || (id !== undefined && (job === undefined || isOpen(job)));
  const isDone = job?.state === 'done';
  const isInstalled = found.installed === found.version;

  useEffect(() => {
    if (isDone)
      void refresh(
        ['plugins'],
        ['settings-schema'],
        ['schema'],
        ['directory', 'outdated'],
        ['directory', 'package'],
        ['directory', 'search'],
        ['profiles', 'list'],
        ['profiles', 'one'],
      );
  }, [isDone, refresh]);

  async function install(): Promise<void> {
    const body: DirectoryJobBody = {
      action: 'install',
      package: found.package,
      version: found.version,
      ...(conflict !== undefined && { replaces: conflict.plugin }),
      ...(cautions.length > 0 && { accepts: cautions.map(({ kind }) => kind) }),
    };
    setId(await run(() => startJob(body)));
  }

  const confirm = (what: string, isSet: boolean): void => {
    const next = new Set(confirmed);
    if (isSet) next.add(what);
    else next.delete(what);
    setConfirmed(next);
  };

  return (
    <Stack gap="xs" align="flex-start">
      {conflict !== undefined && (
        <Question
          text={conflict.message}
          answer={t('find.takesPlace', { plugin: plainText(conflict.plugin) })}
          isSet={confirmed.has(takesPlace)}
          onSet={(isSet) => confirm(takesPlace, isSet)}
        />
      )}
      {cautions.map(({ kind, message }) => (
        <Question
          key={kind}
          text={message}
          answer={t('find.readIt')}
          isSet={confirmed.has(kind)}
          onSet={(isSet) => confirm(kind, isSet)}
        />
      ))}
      <Group>
        <Button
          loading={isRunning}
          disabled={!isConfirmed || isInstalled || isDone}
          onClick={() => void install()}
        >
          {t(
            isInstalled ? 'find.isInstalled' : found.installed === undefined ? 'find.install' : 'find.update',
            {
              version: plainText(found.version),
            },
          )}
        </Button>
        {isRunning && job !== undefined && job.state !== 'installing' && (
          <Button variant="default" onClick={() => void cancelJob(job.job)}>
            {t('app.cancel')}
          </Button>
        )}
      </Group>
      <ErrorAlert error={error ?? lost} />
      {id !== undefined && lost === null && (
        <div style={{ alignSelf: 'stretch' }}>
          <JobProgress job={job} />
        </div>
      )}
    </Stack>
  );
}

const takesPlace = 'takes the place';

function merged(known: readonly Caution[], more: readonly Caution[]): Caution[] {
  return [...new Map([...known, ...more].map((caution) => [caution.kind, caution])).values()];
}

interface QuestionProps {
  readonly text: string;
  readonly answer: string;
  readonly isSet: boolean;
  readonly onSet: (isSet: boolean) => void;
}

/** What speaks against it, and the box that says that it was read. */
function Question({ text, answer, isSet, onSet }: QuestionProps): ReactElement {
  return (
    <Alert color="yellow" variant="light" role="note">
      <Text size="sm" mb="xs">
        {plainText(text)}
      </Text>
      <Checkbox label={answer} checked={isSet} onChange={(event) => onSet(event.currentTarget.checked)} />
    </Alert>
  );
}
