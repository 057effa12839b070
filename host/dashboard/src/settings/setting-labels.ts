import type { RJSFSchema } from '@rjsf/utils';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { localized } from './localized.ts';
import { settingsOf } from './settings-of.ts';

export interface SettingLabels {
  /** The label of a setting in the form. */
  readonly labelOf: (name: string) => string;
  /** Whether a setting is a secret. */
  readonly isSecret: (name: string) => boolean;
}

/** The labels of a plugin's settings. */
export function useSettingLabels(plugin: string): SettingLabels {
  const { i18n } = useTranslation();
  const { data } = useQuery({
    queryKey: ['settings-schema', plugin],
    queryFn: () => call<object>('GET', 'api/v2/schema/settings', { query: { plugin } }),
    staleTime: Infinity,
  });
  return useMemo(() => {
    const settings: Readonly<Record<string, RJSFSchema>> =
      data === undefined ? {} : settingsOf(localized(data, i18n.language));
    return {
      labelOf: (name) => settings[name]?.title ?? name,
      isSecret: (name) => settings[name]?.writeOnly === true,
    };
  }, [data, i18n.language]);
}
