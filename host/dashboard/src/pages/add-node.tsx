import { Anchor, NativeSelect, Select, Stack, TextInput, Title } from '@mantine/core';
import { NodeType } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { call, ifMatch, isStale } from '../api/call.ts';
import { usePlugins, useRefresh } from '../api/queries.ts';
import { useTemplate, useTemplates } from '../api/template-queries.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { MayNot } from '../parts/may-not.tsx';
import { useAction } from '../parts/use-action.ts';
import { SettingsForm } from '../settings/settings-form.tsx';
import { TemplateSize } from '../templates/template-size.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';

/** Adds a driver or an app with its plugin, name and settings. With valid settings it starts at once. */
export default function AddNode(): ReactElement {
  const { t, i18n } = useTranslation();
  const isDriver = useLocation().pathname.startsWith('/drivers');
  const list = isDriver ? '/drivers' : '/apps';
  const { data = [], error: missing } = usePlugins();
  const [name, setName] = useState('');
  const [params] = useSearchParams();
  const { data: templates = [] } = useTemplates();
  const [template, setTemplate] = useState(params.get('template') ?? '');
  const [chosenPlugin, setPlugin] = useState(params.get('plugin'));
  // A link to this page may name a plugin, or a template, which belongs to one.
  const plugin = chosenPlugin ?? templates.find((one) => one.name === template)?.plugin ?? null;
  const own = templates.filter((one) => one.plugin === plugin);
  const used = own.some((one) => one.name === template) ? template : '';
  const { data: whole, refetch } = useTemplate(used);
  const [isDirty, setDirty] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const mayAdd = useMayConfigure();
  const chosen = data.find((one) => one.name === plugin);
  const choices = useMemo(() => {
    const type = isDriver ? NodeType.DRIVER : NodeType.APP;
    return data.filter(({ node_type }) => node_type === type).map((one) => one.name);
  }, [data, isDriver]);

  async function add(params: Record<string, unknown>): Promise<void> {
    setRefusal(undefined);
    const isDone = await run(
      async () => {
        try {
          if (used === '') await call('POST', 'api/v2/node', { body: { name, plugin, params } });
          else await instantiate(used, whole?.revision ?? '', name, params);
        } catch (error) {
          const shown = isStale(error) ? new Error(t('templates.stale'), { cause: error }) : error;
          if (isStale(error)) await Promise.all([refetch(), refresh(['templates'])]);
          setRefusal(shown);
          throw shown;
        }
        setDirty(false);
      },
      t('nodes.didAdd', { name }),
    );
    if (!isDone) return;
    await refresh(['nodes']);
    void navigate(`/nodes/${encodeURIComponent(name)}`);
  }

  if (!mayAdd) return <MayNot role={t('nodes.mayNotAdd')} />;
  return (
    <Stack maw={720}>
      <Anchor component={Link} to={list} size="sm" style={{ alignSelf: 'flex-start' }}>
        {t(isDriver ? 'nav.drivers' : 'nav.apps')}
      </Anchor>
      <Title order={2}>{t(isDriver ? 'nodes.addDriver' : 'nodes.addApp')}</Title>
      <ErrorAlert error={missing} />
      <Select
        label={t('nodes.plugin')}
        description={i18n.language === 'zh' ? chosen?.description_zh : chosen?.description}
        data={choices}
        value={plugin}
        onChange={setPlugin}
        searchable
        required
      />
      {isDriver && own.length > 0 && (
        <NativeSelect
          label={t('templates.choose')}
          description={t('templates.chooseHelp')}
          data={[{ value: '', label: t('templates.none') }, ...own.map((one) => one.name)]}
          value={used}
          onChange={(event) => setTemplate(event.currentTarget.value)}
        />
      )}
      {used !== '' && whole !== undefined && <TemplateSize template={whole.value} />}
      <TextInput
        label={t('nodes.name')}
        description={t('nodes.nameHelp')}
        value={name}
        required
        onChange={(event) => {
          setName(event.currentTarget.value);
          setDirty(true);
        }}
      />
      {plugin !== null && (
        <SettingsForm
          key={plugin}
          plugin={plugin}
          params={undefined}
          isBusy={isBusy || (used !== '' && whole === undefined)}
          error={refusal}
          submit={t(isDriver ? 'nodes.addDriver' : 'nodes.addApp')}
          onSave={(params) => void add(params)}
          onDirty={setDirty}
        />
      )}
      <LeaveGuard isDirty={isDirty && !isBusy} />
    </Stack>
  );
}

/** Creates a driver from a template as it was seen, and saves its settings; deletes it again when the settings are refused. */
async function instantiate(
  template: string,
  seen: string,
  node: string,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  await call('POST', 'api/v2/template/inst', { body: { name: template, node }, headers: ifMatch(seen) });
  try {
    await call('POST', 'api/v2/node/setting', { body: { node, params } });
  } catch (refusal) {
    await call('DELETE', 'api/v2/node', { body: { name: node } });
    throw refusal;
  }
}
