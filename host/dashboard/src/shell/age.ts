import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A duration as text in one unit. */
export function useAge(): (milliseconds: number) => string {
  const { t } = useTranslation();
  return (milliseconds) => {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    if (seconds < 100) return t('age.seconds', { count: seconds });
    if (seconds < 100 * 60) return t('age.minutes', { count: Math.round(seconds / 60) });
    if (seconds < 48 * 3600) return t('age.hours', { count: Math.round(seconds / 3600) });
    return t('age.days', { count: Math.round(seconds / 86_400) });
  };
}

/** The time in milliseconds, updated every second while the component is mounted. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
