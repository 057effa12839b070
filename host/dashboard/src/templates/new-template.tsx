import { NativeSelect, SegmentedControl } from '@mantine/core';
import { NodeType, type GroupsReply, type TagsReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useNodes, usePlugins } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { paceOf } from '../tags/group-pace.ts';

interface Props {
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

/** Creates a template from the groups and tags of a driver, or an empty one for a plugin. */
export function NewTemplate({ onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const nodes = useNodes(NodeType.DRIVER).data ?? [];
  const plugins = (usePlugins().data ?? [])
    .filter(({ node_type }) => node_type === NodeType.DRIVER)
    .map(({ name }) => name);
  const [kind, setKind] = useState<'driver' | 'plugin'>('driver');
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const sources = kind === 'driver' ? nodes.map((node) => node.name) : plugins;
  const from = sources.includes(source) ? source : sources[0];

  async function make(): Promise<void> {
    if (from === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const plugin = kind === 'plugin' ? from : nodes.find((node) => node.name === from)?.plugin;
      const groups = kind === 'plugin' ? [] : await groupsOf(from);
      await call('POST', 'api/v2/template', { body: { name, plugin, groups } });
      onDone(name);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={t('templates.make')}
      action={t('app.save')}
      isBusy={isBusy}
      isDisabled={name === '' || from === undefined}
      error={error}
      onSubmit={() => void make()}
      onClose={onClose}
    >
      <NameField label={t('templates.name')} value={name} onChange={setName} />
      <SegmentedControl
        aria-label={t('templates.from')}
        data={(['driver', 'plugin'] as const).map((value) => ({
          value,
          label: t(`templates.of.${value}`),
        }))}
        value={kind}
        onChange={setKind}
      />
      <NativeSelect
        label={t(kind === 'driver' ? 'subscriptions.driver' : 'templates.plugin')}
        data={sources}
        value={from ?? ''}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
    </Dialog>
  );
}

/** The groups of a driver with all their tags. */
async function groupsOf(node: string): Promise<object[]> {
  const { groups } = await call<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const full = [];
  for (const { name: group, interval, history, ...rest } of groups) {
    const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
    const kept = history !== undefined && { history };
    full.push({ name: group, interval, ...kept, ...paceOf(rest), tags });
  }
  return full;
}
