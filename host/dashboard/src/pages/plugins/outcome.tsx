import { Alert, Button, Progress, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** The progress of an installation. */
export type InstallProgress =
  | { readonly state: 'sending'; readonly name: string; readonly part: number }
  | { readonly state: 'done'; readonly name: string; readonly isSigned: boolean }
  | {
      readonly state: 'refused';
      readonly name: string;
      readonly reason: string;
      /** 0 when the gateway has sent none. */
      readonly code: number;
      /** What installs it all the same. */
      readonly again: { readonly label: string; readonly run: () => void } | undefined;
    };

/** Shows the progress of an installation, or the whole reason why it was refused. */
export function InstallOutcome({ progress }: { readonly progress: InstallProgress }): ReactElement {
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
        {t(progress.isSigned ? 'plugins.didInstallSigned' : 'plugins.didInstall', { name })}
      </Alert>
    );
  }
  const { reason, code, again } = progress;
  return (
    <Alert color="red" variant="light" role="alert" title={t('plugins.refused', { name })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
        {code !== 0 && <Text size="xs">{t('error.code', { code })}</Text>}
        {again !== undefined && (
          <Button variant="default" size="xs" onClick={again.run}>
            {again.label}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
