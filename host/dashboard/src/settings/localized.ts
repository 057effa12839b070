import type { RJSFSchema } from '@rjsf/utils';

/** A schema with its texts in a language. `x-zh` holds the Chinese texts beside the English ones. */
export function localized(schema: unknown, language: string): RJSFSchema {
  return translate(schema, language === 'zh') as RJSFSchema;
}

function translate(schema: unknown, isChinese: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => translate(item, isChinese));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { 'x-zh': chinese, ...rest } = schema as Record<string, unknown>;
  const translated = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, translate(value, isChinese)]),
  );
  return isChinese && typeof chinese === 'object' ? { ...translated, ...chinese } : translated;
}
