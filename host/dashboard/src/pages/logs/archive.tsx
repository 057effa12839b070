import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, send } from '../../api/call.ts';
import { useMay } from '../../api/use-role.ts';
import { download } from '../../parts/download.ts';
import { useAction } from '../../parts/use-action.ts';

async function fetchArchive(): Promise<void> {
  const response = await send('GET', 'api/v2/logs');
  if (!response.ok) {
    const { error = 0, message = response.statusText } = (await response.json()) as {
      error?: number;
      message?: string;
    };
    throw new ApiError(message, error, response.status);
  }
  download('tagway_logs.tar.gz', await response.blob());
}

/** Downloads all files of the log in one archive, for admins. */
export function LogArchive(): ReactElement | null {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const mayTake = useMay('admin');
  if (!mayTake) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={isBusy}
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() => void run(fetchArchive, t('logs.archive'))}
    >
      {t('logs.archive')}
    </Button>
  );
}
