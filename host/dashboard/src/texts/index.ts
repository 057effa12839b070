import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
    returnNull: false;
  }
}

export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

const place = 'tagway.language';

function preferred(): Language {
  const chosen = localStorage.getItem(place) ?? navigator.language.slice(0, 2);
  return chosen === 'zh' ? 'zh' : 'en';
}

/** Shows the page in a language from now on, here and at the next visit. */
export async function speak(language: Language): Promise<void> {
  if (language === 'zh' && !i18next.hasResourceBundle('zh', 'translation')) {
    const { zh } = await import('./zh.ts');
    i18next.addResourceBundle('zh', 'translation', zh);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  localStorage.setItem(place, language);
}

export async function prepareTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    // The compiler knows every text; a key that is made up while the page runs it does not. The key then stands for the text.
    saveMissing: true,
    missingKeyHandler: (_languages, _section, key) => reportError(new Error(`There is no text for ${key}.`)),
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
  await speak(preferred());
}
