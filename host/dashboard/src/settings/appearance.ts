import type { RJSFSchema, UiSchema } from '@rjsf/utils';
import { LinesField } from './lines-field.tsx';
import { SectionedFields } from './sectioned-fields.tsx';
import { settingsOf } from './settings-of.ts';
import { isOfLines } from './table/table-spec.ts';
import { Choice, FileContent, Input, Secret, CheckboxField } from './widgets.tsx';

/** Settings that are secrets are password fields and files are file inputs; rjsf's own submit button is left out. */
export function appearanceOf(schema: RJSFSchema): UiSchema {
  const special = Object.entries(settingsOf(schema)).flatMap(([name, setting]) => {
    if (setting.contentEncoding === 'base64') return [[name, { 'ui:widget': 'fileContent' }]];
    if (isOfLines(setting)) return [[name, { 'ui:widget': 'lines' }]];
    if (setting.writeOnly === true) return [[name, { 'ui:widget': 'password' }]];
    return [];
  });
  return {
    'ui:submitButtonOptions': { norender: true },
    'ui:title': '',
    ...(Object.fromEntries(special) as UiSchema),
  };
}

export const widgets = {
  SelectWidget: Choice,
  CheckboxWidget: CheckboxField,
  PasswordWidget: Secret,
  fileContent: FileContent,
  lines: LinesField,
};

// A widget shows its own error.
export const templates = {
  BaseInputTemplate: Input,
  FieldErrorTemplate: (): null => null,
  ObjectFieldTemplate: SectionedFields,
};
