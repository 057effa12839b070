import type { ErrorSchema, RJSFSchema } from '@rjsf/utils';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/call.ts';
import { localized } from './localized.ts';
import { atFields } from './problems.ts';

/** The settings of a plugin in the language of the page, once they are there; `missing` is why they cannot be shown. */
export function useSettingsSchema(plugin: string): {
  readonly schema: RJSFSchema | undefined;
  readonly missing: Error | null;
} {
  const { i18n } = useTranslation();
  const { data: raw, error: missing } = useQuery({
    queryKey: ['settings-schema', plugin],
    queryFn: () => call<object>('GET', 'api/v2/schema/settings', { query: { plugin } }),
    staleTime: Infinity,
  });
  const schema = useMemo(
    () => (raw === undefined ? undefined : localized(raw, i18n.language)),
    [raw, i18n.language],
  );
  return { schema, missing };
}

/** What the gateway refuses, at the fields that it names; undefined where it names none. */
export function useRefusals(error: unknown, schema: RJSFSchema | undefined): ErrorSchema | undefined {
  return useMemo(
    () =>
      schema === undefined || !(error instanceof ApiError) ? undefined : atFields(error.message, schema),
    [schema, error],
  );
}
