import { Checkbox, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import type { Registry } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../parts/dialog.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { type Draft, draftOf, type Login, mask, registryOf } from './draft.ts';

interface Props {
  /** Undefined for a new one. */
  readonly registry: Registry | undefined;
  readonly onSave: (registry: Registry) => Promise<void>;
  readonly onClose: () => void;
}

/** Everything of a registry. Secrets are written and never shown. */
export function RegistryDialog({ registry, onSave, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(() => draftOf(registry));
  const { isBusy, error, run } = useSending();
  const set = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const save = async (): Promise<void> => {
    await run(async () => {
      await onSave(registryOf(draft));
      onClose();
    });
  };
  return (
    <Dialog
      title={registry === undefined ? t('registries.add') : t('registries.change', { address: registry.url })}
      action={t('app.save')}
      size="lg"
      isBusy={isBusy}
      isDisabled={draft.url.trim() === ''}
      error={error}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextInput
        label={t('registries.scope')}
        description={t('registries.scopeMeans')}
        value={draft.scope}
        onChange={(event) => set({ scope: event.currentTarget.value })}
      />
      <TextInput
        label={t('registries.address')}
        description={t('registries.addressMeans')}
        required
        value={draft.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Checkbox
        label={t('registries.search')}
        checked={draft.search}
        onChange={(event) => set({ search: event.currentTarget.checked })}
      />
      <LoginFields draft={draft} set={set} />
      <Secret
        label={t('registries.proxy')}
        meaning={t('registries.proxyMeans')}
        value={draft.proxy}
        onChange={(proxy) => set({ proxy })}
      />
      <Long
        label={t('registries.ca')}
        meaning={t('registries.caMeans')}
        value={draft.ca}
        onChange={(ca) => set({ ca })}
      />
      <Long
        label={t('registries.origins')}
        meaning={t('registries.originsMeans')}
        value={draft.origins}
        onChange={(origins) => set({ origins })}
      />
      <Checkbox
        label={t('registries.requireSignature')}
        checked={draft.requireSignature}
        onChange={(event) => set({ requireSignature: event.currentTarget.checked })}
      />
      <Long
        label={t('registries.keys')}
        meaning={t('registries.keysMean')}
        value={draft.keys}
        onChange={(keys) => set({ keys })}
      />
      <Checkbox
        label={t('registries.requireAttestation')}
        checked={draft.requireAttestation}
        onChange={(event) => set({ requireAttestation: event.currentTarget.checked })}
      />
      <Long
        label={t('registries.root')}
        meaning={t('registries.rootMeans')}
        value={draft.trustRoot}
        onChange={(trustRoot) => set({ trustRoot })}
      />
    </Dialog>
  );
}

interface LoginProps {
  readonly draft: Draft;
  readonly set: (changes: Partial<Draft>) => void;
}

function LoginFields({ draft, set }: LoginProps): ReactElement {
  const { t } = useTranslation();
  const kinds: readonly (readonly [Login, string])[] = [
    ['none', t('registries.none')],
    ['token', t('registries.token')],
    ['user', t('registries.user')],
    ['certificate', t('registries.cert')],
  ];
  return (
    <>
      <Select
        label={t('registries.login')}
        data={kinds.map(([value, label]) => ({ value, label }))}
        value={draft.login}
        allowDeselect={false}
        onChange={(login) => login !== null && set({ login })}
      />
      {draft.login === 'token' && (
        <Secret label={t('registries.token')} value={draft.token} onChange={(token) => set({ token })} />
      )}
      {draft.login === 'user' && (
        <>
          <TextInput
            label={t('registries.user')}
            value={draft.user}
            onChange={(event) => set({ user: event.currentTarget.value })}
          />
          <Secret
            label={t('registries.password')}
            value={draft.password}
            onChange={(password) => set({ password })}
          />
        </>
      )}
      {draft.login === 'certificate' && (
        <>
          <Long label={t('registries.cert')} value={draft.cert} onChange={(cert) => set({ cert })} />
          <Long label={t('registries.key')} value={draft.key} onChange={(key) => set({ key })} />
        </>
      )}
    </>
  );
}

interface TextProps {
  readonly label: string;
  readonly meaning?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A secret that is stored is the mask; the first letter that is typed begins another one. */
function Secret({ label, meaning, value, onChange }: TextProps): ReactElement {
  const { t } = useTranslation();
  return (
    <PasswordInput
      label={label}
      description={value === mask ? t('registries.kept') : meaning}
      autoComplete="new-password"
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Long({ label, meaning, value, onChange }: TextProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Textarea
      label={label}
      description={value === mask ? t('registries.kept') : meaning}
      autosize
      minRows={1}
      maxRows={6}
      value={value}
      onFocus={(event) => value === mask && event.currentTarget.select()}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
