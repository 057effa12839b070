import Form from '@rjsf/mantine';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../parts/panel.tsx';
import { appearanceOf, templates, widgets } from './appearance.ts';
import { localized } from './localized.ts';
import { validator } from './validator.ts';

/** The form of settings as it will look, with its defaults; nothing can be changed in it. */
export function SettingsPreview({ schema: raw }: { readonly schema: object }): ReactElement {
  const { i18n } = useTranslation();
  const schema = useMemo(() => localized(raw, i18n.language), [raw, i18n.language]);
  return (
    <Panel>
      <Form
        tagName="div"
        schema={schema}
        uiSchema={appearanceOf(schema)}
        widgets={widgets}
        templates={templates}
        validator={validator}
        readonly
        showErrorList={false}
      >
        <></>
      </Form>
    </Panel>
  );
}
