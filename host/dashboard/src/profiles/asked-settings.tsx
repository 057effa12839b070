import Form from '@rjsf/mantine';
import type { RJSFSchema } from '@rjsf/utils';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../parts/panel.tsx';
import { appearanceOf, templates, widgets } from '../settings/appearance.ts';
import { settingsOf } from '../settings/settings-of.ts';
import { useRefusals, useSettingsSchema } from '../settings/use-settings-schema.ts';
import { validator } from '../settings/validator.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';

type Params = Readonly<Record<string, unknown>>;

interface Props {
  readonly plugin: string;
  /** Names of the settings that are left to ask. */
  readonly ask: readonly string[];
  readonly params: Params;
  /** Why the gateway refuses them. */
  readonly error: unknown;
  readonly onChange: (params: Params) => void;
}

/** The few settings of a plugin that a profile leaves to ask, as the plugin's own form shows them. */
export function AskedSettings({ plugin, ask, params, error, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const { schema: whole, missing } = useSettingsSchema(plugin);
  const schema = useMemo(() => (whole === undefined ? undefined : partOf(whole, ask)), [whole, ask]);
  const appearance = useMemo(() => (schema === undefined ? {} : appearanceOf(schema)), [schema]);
  const refusals = useRefusals(error, schema);
  if (missing !== null) return <ErrorAlert error={missing} />;
  if (schema === undefined) return <>{t('app.loading')}</>;
  return (
    <Panel>
      <Form
        tagName="div"
        schema={schema}
        uiSchema={appearance}
        widgets={widgets}
        templates={templates}
        validator={validator}
        formData={params}
        showErrorList={false}
        noHtml5Validate
        {...(refusals !== undefined && { extraErrors: refusals })}
        onChange={({ formData }, id) => {
          // Without an id the user has changed nothing: the form has filled in the defaults.
          if (id !== undefined) onChange(formData as Params);
        }}
      >
        <></>
      </Form>
      {refusals === undefined && <ErrorAlert error={error} />}
    </Panel>
  );
}

/** The schema of some settings, also of those that depend on others: the profile has set these. */
function partOf(schema: RJSFSchema, names: readonly string[]): RJSFSchema {
  const settings = settingsOf(schema);
  const properties = names.flatMap((name) => {
    const setting = settings[name];
    // One section: there are few of them.
    return setting === undefined ? [] : [[name, { ...setting, 'x-section': 'connection' }] as const];
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: [...names] };
}
