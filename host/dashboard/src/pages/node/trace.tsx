import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useGroups, useTags } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/trace.ts';
import type { TabProps } from './tab-props.ts';
import { TraceControls, useTraceRun } from './trace-controls.tsx';
import { TraceFrames } from './trace-frames.tsx';

addTexts(texts);

/** The frames between a driver and its device, as they come, for a minute at a time. */
export default function NodeTrace({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const may = useMay('engineer');
  return may ? <Trace name={name} /> : <Text>{t('trace.mayNot')}</Text>;
}

function Trace({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const [unit, setUnit] = useState('');
  const [group, setGroup] = useState<string | null>(null);
  const [tag, setTag] = useState<string | null>(null);
  const run = useTraceRun(name);
  const groups = useGroups(name).data ?? [];
  const about = group !== null && tag !== null && { group, tag };
  const wish = { ...(unit !== '' && { unit }), ...about };

  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('trace.meaning')}
      </Text>
      <TraceControls
        kind="trace"
        run={run}
        wish={group !== null && tag === null ? undefined : wish}
        forms={['text', 'pcapng']}
      >
        <TextInput
          label={t('trace.unit')}
          placeholder={t('trace.all')}
          value={unit}
          onChange={(event) => setUnit(event.currentTarget.value)}
          disabled={run.isRunning}
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
          disabled={run.isRunning}
          clearable
          searchable
        />
        {group !== null && (
          <TagChoice node={name} group={group} tag={tag} isDisabled={run.isRunning} onChange={setTag} />
        )}
      </TraceControls>
      <TraceFrames frames={run.trace?.frames ?? []} />
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
