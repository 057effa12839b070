import { Alert, Card, FileButton, Group, Progress, Stack, Text, Button } from '@mantine/core';
import { useState, type DragEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { upload } from '../../api/upload.ts';
import { useRefresh } from '../../api/queries.ts';
import { base64Of } from '../../parts/base64.ts';
import { useReason } from '../../shell/trouble.tsx';

type Progressing =
  | { readonly state: 'sending'; readonly name: string; readonly part: number }
  | { readonly state: 'done'; readonly name: string }
  | { readonly state: 'refused'; readonly name: string; readonly reason: string };

/** Takes a plugin's archive, dropped or chosen, and says how far it is and, in full, why it was refused. */
export function InstallPlugin(): ReactElement {
  const { t } = useTranslation();
  const [progress, setProgress] = useState<Progressing>();
  const [isOver, setOver] = useState(false);
  const reason = useReason();
  const refresh = useRefresh();

  async function install(file: File | null | undefined): Promise<void> {
    if (!file) return;
    const { name } = file;
    if (!name.endsWith('.tgz')) {
      setProgress({ state: 'refused', name, reason: t('plugins.notTgz', { name }) });
      return;
    }
    setProgress({ state: 'sending', name, part: 0 });
    try {
      const body = { library: name, file: await base64Of(file) };
      // The same call installs and, where there is another version, upgrades.
      await upload('POST', 'api/v2/plugin', body, (part) => setProgress({ state: 'sending', name, part }));
      setProgress({ state: 'done', name });
    } catch (error) {
      setProgress({ state: 'refused', name, reason: reason(error) });
    }
    await refresh(['plugins'], ['settings-schema']);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    void install(event.dataTransfer.files[0]);
  }

  return (
    <Card
      withBorder
      style={{ borderStyle: 'dashed', ...(isOver && { borderColor: 'var(--mantine-primary-color-filled)' }) }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Stack gap="xs">
        <Group>
          <Text size="sm">{t('plugins.drop')}</Text>
          <FileButton accept=".tgz" onChange={(file) => void install(file)}>
            {(button) => (
              <Button {...button} variant="default" size="xs" loading={progress?.state === 'sending'}>
                {t('plugins.choose')}
              </Button>
            )}
          </FileButton>
        </Group>
        <Text size="xs" c="dimmed">
          {t('plugins.replaces')}
        </Text>
        {progress !== undefined && <Outcome progress={progress} />}
      </Stack>
    </Card>
  );
}

function Outcome({ progress }: { readonly progress: Progressing }): ReactElement {
  const { t } = useTranslation();
  const { name } = progress;
  if (progress.state === 'sending') {
    const percent = Math.round(100 * progress.part);
    const text = percent < 100 ? t('plugins.sending', { name, percent }) : t('plugins.checking', { name });
    return (
      <div role="status">
        <Text size="sm">{text}</Text>
        <Progress value={percent} animated={percent === 100} aria-label={text} />
      </div>
    );
  }
  if (progress.state === 'done') {
    return (
      <Alert color="teal" variant="light" role="status">
        {t('plugins.didInstall', { name })}
      </Alert>
    );
  }
  return (
    <Alert color="red" variant="light" role="alert" title={t('plugins.refused', { name })}>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {progress.reason}
      </Text>
    </Alert>
  );
}
