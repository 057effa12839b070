import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { ErrorCode, type ProfilePackageBody, type ProfilePackageReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useAction } from '../parts/use-action.ts';
import { useSending } from '../parts/use-sending.ts';
import { plainText } from '../pages/plugins/plain-text.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { ofProfiles, useProfileSearch } from './profile-queries.ts';

/** What a refusal can be answered with, once it was read. */
function answerTo(error: unknown, profile: string): Partial<ProfilePackageBody> | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === ErrorCode.PLUGIN_FROM_ELSEWHERE) return { replaces: profile };
  if (error.code === ErrorCode.PACKAGE_CAUTIONS) return { accepts: ['publisher'] };
  return undefined;
}

interface InstallProps {
  readonly name: string;
  readonly profile: string;
  readonly version: string;
  /** Called with the id of what is installed. */
  readonly onInstalled: (profile: string) => void;
  readonly text: string;
}

/** Installs a profile of a registry; what speaks against it is read and confirmed first. */
export function InstallProfile({ name, profile, version, onInstalled, text }: InstallProps): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { isBusy, error, run } = useSending();
  const { run: say } = useAction();
  const [answers, setAnswers] = useState<Partial<ProfilePackageBody>>({});
  const answer = answerTo(error, profile);
  const install = async (more: Partial<ProfilePackageBody>): Promise<void> => {
    const given = { ...answers, ...more };
    setAnswers(given);
    const body: ProfilePackageBody = { package: name, version, ...given };
    const done = await run(() => call<ProfilePackageReply>('POST', 'api/v2/profile/package', { body }));
    if (done === undefined) return;
    await say(
      () => refresh(...ofProfiles, ['directory', 'outdated']),
      t('profiles.didInstall', { id: done.profile, version: done.version }),
    );
    onInstalled(done.profile);
  };
  return (
    <Stack gap="xs" align="flex-start">
      {answer === undefined ? (
        <>
          <ErrorAlert error={error} />
          <Button loading={isBusy} onClick={() => void install({})}>
            {text}
          </Button>
        </>
      ) : (
        <Alert color="yellow" variant="light" role="alert">
          <Text size="sm" mb="xs">
            {error instanceof Error ? plainText(error.message) : ''}
          </Text>
          <Button size="xs" loading={isBusy} onClick={() => void install(answer)}>
            {t('profiles.installAnyway')}
          </Button>
        </Alert>
      )}
    </Stack>
  );
}

interface Props {
  readonly name: string;
  readonly onInstalled: (profile: string) => void;
}

/** A profile that a registry has: what it says of it, and the button that installs it. */
export function RegistryProfilePage({ name, onInstalled }: Props): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useProfileSearch(name);
  const found = data?.find((one) => one.package === name);
  return (
    <Stack>
      <Title order={2}>{plainText(name)}</Title>
      <ErrorAlert error={error} />
      {data === undefined && error === null && <Text>{t('find.asking')}</Text>}
      {data !== undefined && found === undefined && <Text>{t('find.none')}</Text>}
      {found !== undefined && (
        <>
          <Text>{plainText(found.description)}</Text>
          <Group gap="md">
            <Text size="sm">{`${t('find.registry')}: ${plainText(found.registry)}`}</Text>
            {found.publisher !== undefined && (
              <Text size="sm">{`${t('find.publisher')}: ${plainText(found.publisher)}`}</Text>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {t('profiles.isData')}
          </Text>
          <InstallProfile
            name={name}
            profile={found.profile}
            version={found.version}
            text={t('profiles.install', { version: plainText(found.version) })}
            onInstalled={onInstalled}
          />
        </>
      )}
    </Stack>
  );
}
