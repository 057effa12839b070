import { Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useRefresh, useSettings } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { useAction } from '../../parts/use-action.ts';
import { SettingsForm } from '../../settings/settings-form.tsx';
import { Trouble } from '../../shell/trouble.tsx';
import type { TabProps } from './tabs.ts';

/** The settings of a node. What somebody types stays until it is saved, whatever the gateway tells meanwhile. */
export default function NodeSettings({ node: { name, plugin } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { data, error, isPending } = useSettings(name);
  const [isDirty, setDirty] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const mayChange = useMay('engineer');

  async function save(params: Record<string, unknown>): Promise<void> {
    setRefusal(undefined);
    const isDone = await run(
      async () => {
        try {
          await call('POST', 'api/v2/node/setting', { body: { node: name, params } });
        } catch (cause) {
          setRefusal(cause);
          throw cause;
        }
      },
      t('node.didSave', { name }),
    );
    if (!isDone) return;
    setDirty(false);
    await refresh(['node', name, 'settings']);
  }

  if (isPending) return <Text>{t('app.loading')}</Text>;
  if (error !== null) return <Trouble error={error} />;
  return (
    <Stack maw={720}>
      {data === null && <Text size="sm">{t('node.noSettings')}</Text>}
      {!mayChange && <Text size="sm">{t('node.mayNotChange')}</Text>}
      <SettingsForm
        plugin={plugin}
        node={name}
        params={data}
        isBusy={isBusy}
        isReadOnly={!mayChange}
        error={refusal}
        submit={t('app.save')}
        onSave={(params) => void save(params)}
        onDirty={setDirty}
      />
      <LeaveGuard isDirty={isDirty} />
    </Stack>
  );
}
