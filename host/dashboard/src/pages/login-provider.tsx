import { Button, Text } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { beginAtProvider, finishAtProvider, hasReturned, useSignInWays } from '../api/provider-login.ts';

interface Props {
  /** Gets undefined when a sign-in begins. */
  readonly onError: (error: unknown) => void;
}

/** The sign-in at a provider, where there is one; it goes on by itself when the provider has led back. */
export function LoginProvider({ onError }: Props): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useSignInWays();
  const [isBusy, setBusy] = useState(hasReturned);

  useEffect(() => {
    if (!hasReturned()) return;
    finishAtProvider().catch((refusal: unknown) => {
      onError(refusal);
      setBusy(false);
    });
  }, [onError]);

  async function begin(): Promise<void> {
    setBusy(true);
    onError(undefined);
    try {
      await beginAtProvider();
    } catch (refusal) {
      onError(refusal);
      setBusy(false);
    }
  }

  if (data?.oidc === undefined) return null;
  return (
    <>
      <Button variant="default" loading={isBusy} onClick={() => void begin()}>
        {t('login.with', { name: data.oidc })}
      </Button>
      <Text size="xs" c="dimmed">
        {t('login.or')}
      </Text>
    </>
  );
}
