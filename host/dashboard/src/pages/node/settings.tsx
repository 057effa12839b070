import { Stack, Text } from '@mantine/core';
import type { SettingReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { callRevised, ifMatch } from '../../api/call.ts';
import { useRefresh, useSettings } from '../../api/queries.ts';
import { useMayConfigure } from '../../api/use-configure.ts';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { MayNot } from '../../parts/may-not.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StaleSave } from '../../parts/stale-save.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useDraft } from '../../parts/use-draft.ts';
import { useSettingLabels } from '../../settings/setting-labels.ts';
import { SettingsForm } from '../../settings/settings-form.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import type { TabProps } from './tab-props.ts';

/** The settings of a node. What is typed stays until it is saved, also when the settings change on the gateway. */
export default function NodeSettings({ node }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { data, error, isPending } = useSettings(node.name);
  if (isPending) return <Text>{t('app.loading')}</Text>;
  if (error !== null) return <ErrorAlert error={error} />;
  return (
    <Panel>
      <Form name={node.name} plugin={node.plugin} params={data} />
    </Panel>
  );
}

interface Props {
  readonly name: string;
  readonly plugin: string;
  /** Null when the node has none yet. */
  readonly params: Record<string, unknown> | null;
}

function Form({ name, plugin, params }: Props): ReactElement {
  const { t } = useTranslation();
  const [isDirty, setDirty] = useState(false);
  // The settings that the form was opened with; a new number opens it again.
  const [opened, setOpened] = useState({ params, number: 0 });
  const { run } = useAction();
  const refresh = useRefresh();
  const mayChange = useMayConfigure();
  const { labelOf, isSecret } = useSettingLabels(plugin);

  const draft = useDraft({
    opened: params,
    hasOwnRevision: true,
    load: async () => {
      const query = { node: name };
      const { value, revision } = await callRevised<SettingReply>('GET', 'api/v2/node/setting', { query });
      return { value: value.params, revision };
    },
    send: (fields, revision) =>
      callRevised('POST', 'api/v2/node/setting', {
        body: { node: name, params: fields },
        headers: ifMatch(revision),
      }),
    onTake: (fields, isTyped) => {
      setOpened(({ number }) => ({ params: fields, number: number + 1 }));
      setDirty(isTyped);
    },
    onSaved: () => {
      setDirty(false);
      void run(() => refresh(['node', name, 'settings']), t('node.didSave', { name }));
    },
  });

  return (
    <Stack maw={980}>
      {params === null && <Text size="sm">{t('node.noSettings')}</Text>}
      {!mayChange && <MayNot role={t('node.mayNotChange')} />}
      <StaleSave draft={draft} labelOf={labelOf} isHidden={isSecret} />
      <SettingsForm
        key={opened.number}
        plugin={plugin}
        node={name}
        params={opened.params}
        isBusy={draft.isBusy}
        isReadOnly={!mayChange}
        error={draft.error}
        submit={t('app.save')}
        onSave={(fields) => void draft.save(fields)}
        onDirty={setDirty}
      />
      <LeaveGuard isDirty={isDirty} />
    </Stack>
  );
}
