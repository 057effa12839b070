import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useGroups, useTags } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/trace.ts';
import type { TabProps } from './tab-props.ts';
import { saveTrace } from './save-trace.ts';
import { TraceFrames } from './trace-frames.tsx';
import { useTrace } from './use-trace.ts';

addTexts(texts);

/** The frames between a driver and its device, as they come, for a minute at a time. */
export default function NodeTrace({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const may = useMay('engineer');
  return may ? <Trace name={name} /> : <Text>{t('trace.mayNot')}</Text>;
}

function Trace({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const [round, setRound] = useState(0);
  const [unit, setUnit] = useState('');
  const [group, setGroup] = useState<string | null>(null);
  const [tag, setTag] = useState<string | null>(null);
  const { trace, error } = useTrace(name, round);
  const groups = useGroups(name).data ?? [];
  const isRunning = trace !== undefined && trace.end === undefined;
  const hasFrames = trace !== undefined && trace.total > 0;

  const begin = async (): Promise<void> => {
    const about = group !== null && tag !== null && { group, tag };
    const body = { node: name, ...(unit !== '' && { unit }), ...about };
    const done = await run(() => call('POST', 'api/v2/node/trace', { body }), t('trace.didBegin', { name }));
    if (done) setRound(round + 1);
  };
  const end = (): Promise<boolean> =>
    run(() => call('DELETE', 'api/v2/node/trace', { body: { node: name } }), t('trace.didEnd', { name }));

  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('trace.meaning')}
      </Text>
      <Group align="flex-end">
        <TextInput
          label={t('trace.unit')}
          placeholder={t('trace.all')}
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value)}
          disabled={isRunning}
          w={110}
        />
        <Select
          label={t('trace.group')}
          placeholder={t('trace.all')}
          data={groups.map(({ name: value }) => value)}
          value={group}
          onChange={(value) => {
            setGroup(value);
            setTag(null);
          }}
          disabled={isRunning}
          clearable
          searchable
        />
        {group !== null && (
          <TagChoice node={name} group={group} tag={tag} isDisabled={isRunning} onChange={setTag} />
        )}
        {isRunning ? (
          <Button
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            variant="default"
            loading={isBusy}
            onClick={() => void end()}
          >
            {t('trace.end')}
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={isBusy}
            disabled={group !== null && tag === null}
            onClick={() => void begin()}
          >
            {t('trace.begin')}
          </Button>
        )}
        {(['text', 'pcapng'] as const).map((form) => (
          <Button
            key={form}
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            disabled={!hasFrames || isBusy}
            onClick={() => void run(() => saveTrace(name, form), t('trace.didSave'))}
          >
            {t(`trace.${form}`)}
          </Button>
        ))}
      </Group>
      <ErrorAlert error={error} />
      {trace !== undefined && (
        <Text size="sm" role="status">
          {t(trace.end === undefined ? 'trace.running' : `trace.ended.${trace.end}`, { n: trace.total })}
        </Text>
      )}
      <TraceFrames frames={trace?.frames ?? []} />
    </Stack>
  );
}

interface TagChoiceProps {
  readonly node: string;
  readonly group: string;
  readonly tag: string | null;
  readonly isDisabled: boolean;
  readonly onChange: (tag: string | null) => void;
}

function TagChoice({ node, group, tag, isDisabled, onChange }: TagChoiceProps): ReactElement {
  const { t } = useTranslation();
  const tags = useTags(node, group).data ?? [];
  return (
    <Select
      label={t('trace.tag')}
      data={tags.map(({ name }) => name)}
      value={tag}
      onChange={onChange}
      disabled={isDisabled}
      searchable
      limit={100}
    />
  );
}
