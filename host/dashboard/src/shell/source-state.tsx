import type { SourceStatus } from '@tagway/schemas';
import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, send } from '../api/call.ts';
import { useMay } from '../api/use-role.ts';
import { download } from '../parts/download.ts';
import { useAction } from '../parts/use-action.ts';
import { inLanguage } from '../texts/refusals.ts';

/** Where the configuration is pulled from, what is applied of it, and what was changed by hand. */
export default function SourceState({ source }: { readonly source: SourceStatus }): ReactElement {
  const { t } = useTranslation();
  const { url, commit, subject, locked, drift, problem } = source;
  const differences = drift.differences ?? 0;
  return (
    <Alert color={problem === null ? 'cyan' : 'yellow'} variant="light" mb="md" role="status">
      <Text size="sm">
        {t('source.managed', { url })} <Code>{commit === null ? t('source.none') : commit.slice(0, 12)}</Code>
        {subject === undefined ? '' : ` ${subject}`}
        {'. '}
        {t(locked ? 'source.locked' : 'source.open')}{' '}
        {differences > 0 && t('source.drift', { count: differences })}
      </Text>
      {!locked && commit !== null && differences > 0 && <Patch />}
      {problem !== null && (
        <Text size="sm">
          {t('source.problem')} <bdi>{problem.message.split('\n', 1)[0]}</bdi>
        </Text>
      )}
    </Alert>
  );
}

/** Gives engineers what has changed here as a patch of the files, to be committed there. */
function Patch(): ReactElement | null {
  const { t } = useTranslation();
  const mayExport = useMay('engineer');
  const { run, isBusy } = useAction();
  if (!mayExport) return null;
  const save = async (): Promise<void> => {
    const response = await send('GET', 'api/v2/source/patch');
    if (!response.ok) {
      const { error = 0, message = response.statusText } = inLanguage(
        (await response.json()) as { readonly error?: number; readonly message?: string },
      );
      throw new ApiError(message, error, response.status);
    }
    download('gateway.patch', await response.blob());
  };
  return (
    <Group gap="xs" mt={4}>
      <Button
        variant="default"
        size="compact-xs"
        loading={isBusy}
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => void run(save, t('source.exported'))}
      >
        {t('source.export')}
      </Button>
      <Text size="xs">{t('source.exportMeans')}</Text>
    </Group>
  );
}
