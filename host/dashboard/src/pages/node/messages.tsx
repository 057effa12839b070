import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconDownload, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useSubscriptions } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/trace.ts';
import { MessageCounts } from './message-counts.tsx';
import { MessageList } from './message-list.tsx';
import { saveTrace } from './save-trace.ts';
import type { TabProps } from './tab-props.ts';
import { useTrace } from './use-trace.ts';

addTexts(texts);

/** What an app sends and receives, as it comes, for a minute at a time. */
export default function NodeMessages({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const may = useMay('engineer');
  return may ? <Messages name={name} /> : <Text>{t('messages.mayNot')}</Text>;
}

function Messages({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const [round, setRound] = useState(0);
  const [chosen, setChosen] = useState<string | null>(null);
  const { trace, error } = useTrace(name, round);
  const groups = useSubscriptions(name).data ?? [];
  const isRunning = trace !== undefined && trace.end === undefined;

  const begin = async (): Promise<void> => {
    const of = chosen === null ? undefined : groups[Number(chosen)];
    const body = { node: name, ...(of && { driver: of.driver, group: of.group }) };
    const done = await run(
      () => call('POST', 'api/v2/node/trace', { body }),
      t('messages.didBegin', { name }),
    );
    if (done) setRound(round + 1);
  };
  const end = (): Promise<boolean> =>
    run(() => call('DELETE', 'api/v2/node/trace', { body: { node: name } }), t('messages.didEnd', { name }));

  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('messages.meaning')}
      </Text>
      <Group align="flex-end">
        <Select
          label={t('messages.subscription')}
          placeholder={t('trace.all')}
          data={groups.map(({ driver, group }, index) => ({
            value: String(index),
            label: `${driver} / ${group}`,
          }))}
          value={chosen}
          onChange={setChosen}
          disabled={isRunning}
          clearable
          searchable
          limit={100}
        />
        {isRunning ? (
          <Button
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            variant="default"
            loading={isBusy}
            onClick={() => void end()}
          >
            {t('messages.end')}
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void begin()}
          >
            {t('messages.begin')}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          disabled={trace === undefined || trace.total === 0 || isBusy}
          onClick={() => void run(() => saveTrace(name, 'text'), t('messages.didSave'))}
        >
          {t('trace.text')}
        </Button>
      </Group>
      <ErrorAlert error={error} />
      {trace !== undefined && (
        <Text size="sm" role="status">
          {t(trace.end === undefined ? 'messages.running' : `messages.ended.${trace.end}`, {
            n: trace.total,
          })}
        </Text>
      )}
      <MessageCounts counts={trace?.subscriptions ?? []} />
      <MessageList messages={trace?.frames ?? []} />
    </Stack>
  );
}
