import type { ErrorSchema, RJSFSchema, RJSFValidationError } from '@rjsf/utils';
import type { TFunction } from 'i18next';
import { settingsOf } from './settings-of.ts';

const limits = {
  minimum: 'settings.minimum',
  maximum: 'settings.maximum',
  minLength: 'settings.minLength',
  maxLength: 'settings.maxLength',
} as const;

/** The errors of a form with messages in the page's language. */
export function localizedErrors(
  errors: RJSFValidationError[],
  schema: RJSFSchema,
  t: TFunction,
): RJSFValidationError[] {
  const settings = settingsOf(schema);
  return errors.map((error) => {
    const { name = '', property = '' } = error;
    const setting = settings[property.replace(/^\./, '')];
    return { ...error, message: sentence(name, setting, t) };
  });
}

function sentence(keyword: string, setting: RJSFSchema | undefined, t: TFunction): string {
  if (keyword === 'required') return t('settings.required');
  if (keyword in limits) {
    const limit = keyword as keyof typeof limits;
    return t(limits[limit], { n: setting?.[limit] ?? '' });
  }
  return t('settings.invalid');
}

/** Assigns the gateway's error sentence to the fields that it names; undefined when it names none. */
export function atFields(message: string, schema: RJSFSchema): ErrorSchema | undefined {
  const named = Object.keys(settingsOf(schema)).filter((name) =>
    new RegExp(`(^|[^\\w-])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}([^\\w-]|$)`).test(
      message,
    ),
  );
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map((name) => [name, { __errors: [message] }])) as ErrorSchema;
}
