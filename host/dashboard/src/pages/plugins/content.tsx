import { Stack, Tabs, Text } from '@mantine/core';
import type { DirectoryJob } from '@tagway/schemas';
import { useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SettingsPreview } from '../../settings/settings-preview.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { cancelJob, startJob, useJob } from './directory.ts';
import { JobProgress } from './job-progress.tsx';
import { Markdown } from './markdown.tsx';
import { plainText } from './plain-text.ts';

interface Props {
  readonly name: string;
  readonly version: string;
}

/** What is in the archive of a version: the gateway fetches and checks it, and nothing of it runs. */
export function PackageContent({ name, version }: Props): ReactElement {
  const { t } = useTranslation();
  const { job, error } = useLook(name, version);
  if (error !== undefined) return <ErrorAlert error={error} />;
  if (job?.content === undefined) return <JobProgress job={job} />;
  return (
    <Stack gap="xs">
      <Checked content={job.content} />
      <Tabs defaultValue="readme" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="readme">{t('find.readme')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('find.settings')}</Tabs.Tab>
          {job.content.changes !== undefined && <Tabs.Tab value="changes">{t('find.changes')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="readme" pt="sm">
          {job.content.readme === undefined ? (
            <Text size="sm">{t('find.noReadme')}</Text>
          ) : (
            <Markdown text={job.content.readme} label={t('find.readme')} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="settings" pt="sm">
          <Text size="sm" mb="sm">
            {t('find.settingsMeans')}
          </Text>
          <SettingsPreview schema={job.content.settings} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" pt="sm">
          <Markdown text={job.content.changes ?? ''} label={t('find.changes')} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** What the check of the archive has shown. */
function Checked({ content }: { readonly content: NonNullable<DirectoryJob['content']> }): ReactElement {
  const { t } = useTranslation();
  return (
    <Text size="sm">
      {t('find.checked')} {content.signed && t('find.didVerify')}{' '}
      {content.attested_repository !== undefined &&
        t('find.didAttest', { repository: plainText(content.attested_repository) })}{' '}
      {content.signed_by_author && t('find.didVerifyAuthor')}
    </Text>
  );
}

/** Looks into the archive as long as it is shown; a look that nobody waits for is cancelled. */
function useLook(
  name: string,
  version: string,
): { readonly job: DirectoryJob | undefined; readonly error: unknown } {
  const [id, setId] = useState<string>();
  const [refusal, setRefusal] = useState<unknown>();
  const { data, error } = useJob(id);
  useEffect(() => {
    let isGone = false;
    const started = startJob({ action: 'look', package: name, version });
    started.then(
      (job) => !isGone && setId(job),
      (reason: unknown) => !isGone && setRefusal(reason),
    );
    return () => {
      isGone = true;
      started.then(cancelJob, () => undefined);
    };
  }, [name, version]);
  return { job: data, error: refusal ?? error ?? undefined };
}
