import { Button } from '@mantine/core';
import Form from '@rjsf/mantine';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../parts/panel.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { appearanceOf, templates, widgets } from './appearance.ts';
import { blamedBy } from './blame.ts';
import { TestButton, TestDetails } from './connection-test.tsx';
import { localizedErrors } from './problems.ts';
import { useConnectionTest } from './use-connection-test.ts';
import { useRefusals, useSettingsSchema } from './use-settings-schema.ts';
import { validator } from './validator.ts';

type Params = Record<string, unknown>;

interface Props {
  readonly plugin: string;
  /** The node that has the settings; absent for a node that is not added yet. */
  readonly node?: string;
  /** The saved settings; undefined or null when there are none. Read only when the form is mounted. */
  readonly params: Params | null | undefined;
  readonly isBusy: boolean;
  readonly isReadOnly?: boolean;
  readonly error: unknown;
  /** The text of the submit button. */
  readonly submit: string;
  readonly onSave: (params: Params) => void;
  readonly onDirty?: (isDirty: boolean) => void;
}

/** The settings of a plugin's nodes, as its schema describes them. */
export function SettingsForm(props: Props): ReactElement {
  return (
    <Panel>
      <SchemaForm {...props} />
    </Panel>
  );
}

function SchemaForm(props: Props): ReactElement {
  const { plugin, node, params, isBusy, isReadOnly = false, error, submit, onSave, onDirty } = props;
  const { t } = useTranslation();
  const { schema, missing } = useSettingsSchema(plugin);
  const appearance = useMemo(() => (schema === undefined ? {} : appearanceOf(schema)), [schema]);
  const refusals = useRefusals(error, schema);
  const [data, setData] = useState<Params>(params ?? {});
  const test = useConnectionTest({ plugin, node, params: data });
  const { outcome } = test;
  const blamed = useMemo(
    () => (schema === undefined || outcome === undefined ? {} : blamedBy(outcome, schema, data, t)),
    [outcome, schema, data, t],
  );
  useEffect(() => {
    if (outcome !== undefined) showResult();
  }, [outcome]);
  const [version, setVersion] = useState(0);
  const [isChanged, setChanged] = useState(false);

  if (missing !== null) return <ErrorAlert error={missing} />;
  if (schema === undefined) return <>{t('app.loading')}</>;
  return (
    <Form
      key={version}
      schema={schema}
      uiSchema={appearance}
      widgets={widgets}
      templates={templates}
      validator={validator}
      formData={data}
      readonly={isReadOnly}
      showErrorList={false}
      noHtml5Validate
      liveValidate="onBlur"
      focusOnFirstError
      transformErrors={(errors) => localizedErrors(errors, schema, t)}
      extraErrors={{ ...blamed, ...refusals }}
      onChange={({ formData }, id) => {
        setData(formData as Params);
        // Without an id the user has changed nothing: the form has filled in the defaults.
        if (id === undefined) return;
        setChanged(true);
        onDirty?.(true);
      }}
      // The fields show their own errors; without a listener rjsf logs them to the console.
      onError={() => undefined}
      onSubmit={({ formData }) => onSave(formData as Params)}
    >
      {refusals === undefined && <ErrorAlert error={error} />}
      {!isReadOnly && <TestDetails plugin={plugin} test={test} params={data} />}
      {!isReadOnly && (
        <div className="save-bar">
          <Button type="submit" loading={isBusy}>
            {submit}
          </Button>
          <TestButton test={test} />
          <Button
            variant="default"
            onClick={() => {
              setData({});
              setVersion(version + 1);
              setChanged(true);
              onDirty?.(true);
            }}
          >
            {t('settings.defaults')}
          </Button>
          {isChanged && <span className="unsaved">{t('settings.unsaved')}</span>}
        </div>
      )}
    </Form>
  );
}

/** Brings the first field that a test has blamed into sight, or else the steps that it has taken. */
function showResult(): void {
  const field = document.querySelector('.settings-form [aria-invalid="true"]');
  (field ?? document.querySelector('.trial-steps'))?.scrollIntoView({ block: 'center' });
}
