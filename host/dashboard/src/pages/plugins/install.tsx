import { Button, Card, FileButton, Group, Stack, Text } from '@mantine/core';
import { ErrorCode } from '@tagway/schemas';
import { useState, type DragEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, callRevised, ifMatch, isStale } from '../../api/call.ts';
import { usePluginsRevision, useRefresh } from '../../api/queries.ts';
import { upload } from '../../api/upload.ts';
import { useReason } from '../../shell/error-alert.tsx';
import { archiveOf, isArchive, type ArchiveBody } from './archives.ts';
import { InstallOutcome, type InstallProgress } from './outcome.tsx';

/** Installs a plugin's archive that is dropped or chosen, with its signature if it has one, and shows the progress or the refusal. */
export function InstallPlugin(): ReactElement {
  const { t } = useTranslation();
  const [progress, setProgress] = useState<InstallProgress>();
  const [isOver, setOver] = useState(false);
  const reason = useReason();
  const refresh = useRefresh();
  const revision = usePluginsRevision();

  /** POST installs, or upgrades to another version; PUT also replaces the same version. Both only while the plugins are as `seen`. */
  async function send(method: 'POST' | 'PUT', body: ArchiveBody, seen: string): Promise<void> {
    const { library: name } = body;
    setProgress({ state: 'sending', name, part: 0 });
    try {
      await upload(method, 'api/v2/plugin', body, ifMatch(seen), (part) =>
        setProgress({ state: 'sending', name, part }),
      );
      setProgress({ state: 'done', name, isSigned: body.signature !== undefined });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : 0;
      if (isStale(error)) {
        const { revision: now } = await callRevised('GET', 'api/v2/plugin');
        const again = { label: t('plugins.anyway'), run: () => void send(method, body, now) };
        setProgress({ state: 'refused', name, reason: t('plugins.stale'), code, again });
      } else {
        const isConflict = method === 'POST' && code === ErrorCode.LIBRARY_NAME_CONFLICT;
        const again = isConflict
          ? { label: t('plugins.again'), run: () => void send('PUT', body, seen) }
          : undefined;
        setProgress({ state: 'refused', name, reason: reason(error), code, again });
      }
    }
    await refresh(['plugins'], ['settings-schema'], ['schema']);
  }

  async function install(files: readonly File[]): Promise<void> {
    const archive = files.find(isArchive);
    if (archive !== undefined) return await send('POST', await archiveOf(files, archive), revision);
    const name = files[0]?.name;
    if (name === undefined) return;
    const text = t(name.endsWith('.sig') ? 'plugins.aloneSig' : 'plugins.notTgz', { name });
    setProgress({ state: 'refused', name, reason: text, code: 0, again: undefined });
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    void install([...event.dataTransfer.files]);
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
          <FileButton multiple accept=".tgz,.sig" onChange={(files) => void install(files)}>
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
        <Text size="xs" c="dimmed">
          {t('plugins.signed')}
        </Text>
        {progress !== undefined && <InstallOutcome progress={progress} />}
      </Stack>
    </Card>
  );
}
