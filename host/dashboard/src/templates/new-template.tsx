import { Button, Group, Modal, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { NodeType, type GroupsReply, type TagsReply } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useNodes, usePlugins } from '../api/queries.ts';
import { Trouble } from '../shell/trouble.tsx';

interface Props {
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

/** Makes a template: of the groups and tags of a driver, or an empty one of a plugin. */
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

  async function make(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
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
    <Modal
      opened
      onClose={onClose}
      title={t('templates.make')}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={(event) => void make(event)}>
        <Stack gap="sm">
          <TextInput
            label={t('templates.name')}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
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
          <Trouble error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={name === '' || from === undefined}>
              {t('app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The groups of a driver with all their tags. */
async function groupsOf(node: string): Promise<object[]> {
  const { groups } = await call<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const full = [];
  for (const { name: group, interval } of groups) {
    const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
    full.push({ name: group, interval, tags });
  }
  return full;
}
