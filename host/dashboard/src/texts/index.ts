import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { AlarmTexts } from './alarms.ts';
import { en } from './en.ts';
import type { ProfileTexts } from './profiles.ts';
import { translateRefusals, type Translation } from './refusals.ts';
import type { FleetTexts } from './fleet.ts';
import type { RegistryTexts } from './registries.ts';
import type { SignInTexts } from './sign-in.ts';
import type { TableTexts } from './table.ts';
import type { TraceTexts } from './trace.ts';
import type { TreeTexts } from './tree.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof en &
        AlarmTexts &
        FleetTexts &
        ProfileTexts &
        RegistryTexts &
        SignInTexts &
        TableTexts &
        TraceTexts &
        TreeTexts;
    };
    returnNull: false;
  }
}

export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

const storageKey = 'tagway.language';

function preferred(): Language {
  const chosen = localStorage.getItem(storageKey) ?? navigator.language.slice(0, 2);
  return chosen === 'zh' ? 'zh' : 'en';
}

/** The gateway's sentences in Chinese, once they are loaded. */
let chinese: Translation | undefined;

/** Adds texts that are not of the first load: those of a language, or of a place that is seldom seen, which brings them with it. */
export function addTexts(added: Partial<Record<Language, object>>): void {
  for (const [language, own] of Object.entries(added))
    i18next.addResourceBundle(language, 'translation', own, true, true);
}

/** Changes the language of the page and stores it for the next visit. */
export async function changeLanguage(language: Language): Promise<void> {
  if (language === 'zh' && chinese === undefined) {
    const { zh, refusals, knownSentences, sdkSentences, sourceSentences } = await import('./zh.ts');
    addTexts({ zh });
    chinese = { refusals, sentences: knownSentences({ ...sdkSentences, ...sourceSentences }) };
  }
  translateRefusals(language === 'zh' ? chinese : undefined);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  localStorage.setItem(storageKey, language);
}

export async function prepareTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    // The compiler cannot check a key that is put together at run time. A key without a text is reported and shown instead.
    saveMissing: true,
    missingKeyHandler: (_languages, _section, key) => reportError(new Error(`There is no text for ${key}.`)),
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
  await changeLanguage(preferred());
}
