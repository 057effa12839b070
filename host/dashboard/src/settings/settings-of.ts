import type { RJSFSchema } from '@rjsf/utils';

type Properties = Readonly<Record<string, RJSFSchema>>;

/** All settings of a schema by name, also conditional ones. */
export function settingsOf(schema: RJSFSchema): Properties {
  const parts = [schema, ...((schema.allOf ?? []) as RJSFSchema[]).map(({ then }) => then as RJSFSchema)];
  const settings: Record<string, RJSFSchema> = {};
  for (const part of parts) {
    for (const [name, setting] of Object.entries((part?.properties ?? {}) as Properties))
      settings[name] = { ...settings[name], ...setting };
  }
  return settings;
}
