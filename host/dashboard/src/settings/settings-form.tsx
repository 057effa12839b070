import { Button, Group } from '@mantine/core';
import Form from '@rjsf/mantine';
import type { RJSFSchema } from '@rjsf/utils';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { Trouble } from '../shell/trouble.tsx';
import { localized } from './localized.ts';
import { validator } from './validator.ts';

type Params = Record<string, unknown>;

interface Props {
  readonly plugin: string;
  /** What the gateway has; undefined or null where there is nothing yet. */
  readonly params: Params | null | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSave: (params: Params) => void;
  readonly onDirty?: (isDirty: boolean) => void;
}

/** Secrets are not shown while they are typed. */
function appearance(schema: RJSFSchema): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const secrets = properties.filter(
    ([, property]) =>
      typeof property === 'object' && (property as { writeOnly?: unknown }).writeOnly === true,
  );
  return {
    'ui:submitButtonOptions': { norender: true },
    ...Object.fromEntries(secrets.map(([name]) => [name, { 'ui:widget': 'password' }])),
  };
}

/** The settings of a plugin's nodes, as its schema describes them. */
export function SettingsForm({ plugin, params, isBusy, error, onSave, onDirty }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const {
    data: raw,
    error: missing,
    isPending,
  } = useQuery({
    queryKey: ['settings-schema', plugin],
    queryFn: () => call<object>('GET', 'api/v2/schema/settings', { query: { plugin } }),
    staleTime: Infinity,
  });
  const schema = useMemo(
    () => (raw === undefined ? undefined : localized(raw, i18n.language)),
    [raw, i18n.language],
  );
  const uiSchema = useMemo(() => (schema === undefined ? {} : appearance(schema)), [schema]);
  const [data, setData] = useState<Params>(params ?? {});
  const [version, setVersion] = useState(0);

  if (missing !== null) return <Trouble error={missing} />;
  if (isPending || schema === undefined) return <>{t('app.loading')}</>;
  return (
    <Form
      key={version}
      schema={schema}
      uiSchema={uiSchema}
      validator={validator}
      formData={data}
      showErrorList={false}
      noHtml5Validate
      liveValidate="onBlur"
      onChange={({ formData }) => {
        setData(formData as Params);
        onDirty?.(true);
      }}
      onSubmit={({ formData }) => onSave(formData as Params)}
    >
      <Trouble error={error} />
      <Group mt="md">
        <Button type="submit" loading={isBusy}>
          {t('app.save')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setData({});
            setVersion(version + 1);
            onDirty?.(true);
          }}
        >
          {t('settings.defaults')}
        </Button>
      </Group>
    </Form>
  );
}
