import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { FleetGateway } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../parts/dialog.tsx';
import { useSending } from '../../parts/use-sending.ts';

interface Props {
  /** Undefined for a new one. */
  readonly gateway: FleetGateway | undefined;
  readonly onSave: (gateway: FleetGateway) => Promise<void>;
  readonly onClose: () => void;
}

/** What the gateway shows instead of a token, and takes as "as it is" for the same address. */
const mask = '********';

/** A gateway of the fleet. Its token is written and never shown. */
export function GatewayDialog({ gateway, onSave, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState(gateway?.name ?? '');
  const [url, setUrl] = useState(gateway?.url ?? '');
  const [token, setToken] = useState(gateway?.token ?? '');
  const [ca, setCa] = useState(gateway?.ca ?? '');
  const { isBusy, error, run } = useSending();
  const isMoved = gateway !== undefined && url.trim() !== gateway.url;
  const save = async (): Promise<void> => {
    await run(async () => {
      await onSave({
        name: name.trim(),
        url: url.trim(),
        token: token.trim(),
        ...(ca.trim() !== '' && { ca }),
      });
      onClose();
    });
  };
  const meaningOfToken = (): string => {
    if (token !== mask) return t('fleet.tokenMeans');
    return isMoved ? t('fleet.keptFor') : t('fleet.kept');
  };
  return (
    <Dialog
      title={gateway === undefined ? t('fleet.add') : t('fleet.change', { name: gateway.name })}
      action={t('app.save')}
      size="lg"
      isBusy={isBusy}
      isDisabled={[name, url, token].some((text) => text.trim() === '') || (isMoved && token === mask)}
      error={error}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextInput
        label={t('fleet.name')}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('fleet.address')}
        description={t('fleet.addressMeans')}
        required
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('fleet.token')}
        description={meaningOfToken()}
        required
        autoComplete="new-password"
        value={token}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <Textarea
        label={t('fleet.ca')}
        description={t('fleet.caMeans')}
        autosize
        minRows={1}
        maxRows={6}
        value={ca}
        onChange={(event) => setCa(event.currentTarget.value)}
      />
    </Dialog>
  );
}
