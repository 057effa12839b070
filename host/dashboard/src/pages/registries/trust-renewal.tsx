import { Alert, Button, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { TrustRenewal as Setting, TrustRenewalReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly renewal: TrustRenewalReply;
  readonly isBusy: boolean;
  readonly onSave: (setting: Setting) => void;
}

/** Whether, and from where, what verifies packages is renewed. */
export function TrustRenewal({ renewal, isBusy, onSave }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const { enabled, time, message } = renewal;
  const [url, setUrl] = useState(renewal.url ?? '');
  const [root, setRoot] = useState(renewal.root ?? '');
  const save = (isOn: boolean): void =>
    onSave({
      enabled: isOn,
      ...(url.trim() !== '' && { url: url.trim() }),
      ...(root.trim() !== '' && { root: root.trim() }),
    });
  const isChanged = url.trim() !== (renewal.url ?? '') || root.trim() !== (renewal.root ?? '');
  return (
    <Stack gap="xs" maw={620}>
      <Switch
        label={t('registries.renew')}
        description={t('registries.renewMeans')}
        checked={enabled}
        disabled={isBusy}
        onChange={(event) => save(event.currentTarget.checked)}
      />
      {message !== undefined && (
        <Alert color="yellow" variant="light" role="status">
          {message}
        </Alert>
      )}
      {time !== undefined && (
        <Text size="sm">
          {t('registries.renewed', { when: new Date(time).toLocaleString(i18n.language) })}
        </Text>
      )}
      {enabled && (
        <>
          <TextInput
            label={t('registries.renewUrl')}
            description={t('registries.renewUrlMeans')}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Textarea
            label={t('registries.renewRoot')}
            description={t('registries.renewRootMeans')}
            value={root}
            autosize
            maxRows={6}
            onChange={(event) => setRoot(event.currentTarget.value)}
          />
          <Group>
            <Button variant="default" disabled={!isChanged} loading={isBusy} onClick={() => save(true)}>
              {t('app.save')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
