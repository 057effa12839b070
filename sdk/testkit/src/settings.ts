import { compileSettings } from '@tagway/schemas/validate';

/** The settings of a node with the defaults of the schema, or undefined when the schema refuses them. */
export function settingsOf(schema: object, params: object): Readonly<Record<string, unknown>> | undefined {
  const result = compileSettings(schema)(params);
  return 'settings' in result ? result.settings : undefined;
}

/** The same as the host passes them to a plugin; throws the reason when the schema refuses them. */
export function checkedSettings<Settings>(schema: object, params: object): Settings {
  const result = compileSettings(schema)(params);
  if ('message' in result) throw new Error(result.message);
  return result.settings as Settings;
}
