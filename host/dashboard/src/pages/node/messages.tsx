import { Select, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSubscriptions } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/trace.ts';
import { MessageCounts } from './message-counts.tsx';
import { MessageList } from './message-list.tsx';
import type { TabProps } from './tab-props.ts';
import { TraceControls, useTraceRun } from './trace-controls.tsx';

addTexts(texts);

/** What an app sends and receives, as it comes, for a minute at a time. */
export default function NodeMessages({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const may = useMay('engineer');
  return may ? <Messages name={name} /> : <Text>{t('messages.mayNot')}</Text>;
}

function Messages({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string | null>(null);
  const run = useTraceRun(name);
  const groups = useSubscriptions(name).data ?? [];
  const of = chosen === null ? undefined : groups[Number(chosen)];

  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('messages.meaning')}
      </Text>
      <TraceControls
        kind="messages"
        run={run}
        wish={of === undefined ? {} : { driver: of.driver, group: of.group }}
        forms={['text']}
      >
        <Select
          label={t('messages.subscription')}
          placeholder={t('trace.all')}
          data={groups.map(({ driver, group }, index) => ({
            value: String(index),
            label: `${driver} / ${group}`,
          }))}
          value={chosen}
          onChange={setChosen}
          disabled={run.isRunning}
          clearable
          searchable
          limit={100}
        />
      </TraceControls>
      <MessageCounts counts={run.trace?.subscriptions ?? []} />
      <MessageList messages={run.trace?.frames ?? []} />
    </Stack>
  );
}
