import {
  Alert,
  Button,
  Card,
  Group,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { LdapSettings, OidcSettings, SignInSettings, TestSignInReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSending } from '../../parts/use-sending.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { type Field, settingsOf, type Typed, typedOf } from './fields.ts';
import { Roles } from './roles.tsx';

interface Props {
  readonly way: 'ldap' | 'oidc';
  readonly fields: readonly Field[];
  readonly stored: LdapSettings | OidcSettings | undefined;
  readonly onStore: (settings: SignInSettings) => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

/** The settings of one way to sign in, which can be tried before they are stored. */
export function WayForm({ way, fields, stored, onStore, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<Typed>(() => typedOf(stored));
  const [roles, setRoles] = useState(stored?.roles ?? []);
  const [name, setName] = useState('');
  const [pass, setPass] = useState('');
  const [found, setFound] = useState<TestSignInReply>();
  const [isRemoving, setRemoving] = useState(false);
  const { isBusy, error, run } = useSending();
  const action = useAction();
  const settings = (): SignInSettings => settingsOf(way, fields, typed, roles, stored);
  const isEmpty = fields.some(
    (field) => field.isRequired === true && (typed[field.name] ?? '').trim() === '',
  );

  const test = async (): Promise<void> => {
    setFound(undefined);
    const body = { ...settings(), ...(way === 'ldap' && { name, pass }) };
    setFound(await run(() => call<TestSignInReply>('POST', 'api/v2/sign-in/test', { body })));
  };
  const remove = async (): Promise<void> => {
    await action.run(onRemove, t('signIn.didRemove'));
    setRemoving(false);
  };

  return (
    <Card withBorder component="section" aria-label={t(`signIn.${way}`)}>
      <Stack>
        <Title order={3}>{t(`signIn.${way}`)}</Title>
        <Text size="sm">{t(`signIn.${way}Means`)}</Text>
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={typed[field.name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [field.name]: value })}
          />
        ))}
        <Roles way={way} roles={roles} onChange={setRoles} />
        {way === 'ldap' && (
          <Group grow align="end">
            <TextInput
              label={t('signIn.testName')}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <PasswordInput
              label={t('signIn.testPass')}
              autoComplete="new-password"
              value={pass}
              onChange={(event) => setPass(event.currentTarget.value)}
            />
          </Group>
        )}
        <ErrorAlert error={error} />
        {found !== undefined && <Found found={found} />}
        <Group>
          <Button
            disabled={isEmpty}
            loading={action.isBusy}
            onClick={() => void action.run(() => onStore(settings()), t('signIn.didSave'))}
          >
            {t('app.save')}
          </Button>
          <Button variant="default" disabled={isEmpty} loading={isBusy} onClick={() => void test()}>
            {t('signIn.test')}
          </Button>
          {stored !== undefined && (
            <Button variant="default" onClick={() => setRemoving(true)}>
              {t('signIn.remove')}
            </Button>
          )}
        </Group>
      </Stack>
      <Confirm
        isOpen={isRemoving}
        title={t('signIn.remove')}
        action={t('signIn.remove')}
        isBusy={action.isBusy}
        onConfirm={() => void remove()}
        onClose={() => setRemoving(false)}
      >
        <Text size="sm">{t('signIn.removeAsk')}</Text>
      </Confirm>
    </Card>
  );
}

function Found({
  found: { user, groups = [], role, keys },
}: {
  readonly found: TestSignInReply;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="teal" variant="light" role="status" title={t('signIn.works')}>
      {keys !== undefined && <Text size="sm">{t('signIn.keys', { count: keys })}</Text>}
      {user !== undefined && (
        <Text size="sm">
          {role === undefined ? t('signIn.noRole', { user }) : t('signIn.hasRole', { user, role })}
        </Text>
      )}
      {groups.map((group) => (
        <Text key={group} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {group}
        </Text>
      ))}
    </Alert>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldInput({ field: { kind, text, means, isRequired }, value, onChange }: FieldProps): ReactElement {
  const { t } = useTranslation();
  const shared = {
    label: t(text),
    ...(means !== undefined && { description: t(means) }),
    required: isRequired === true,
    value,
  };
  if (kind === 'secret')
    return (
      <PasswordInput
        {...shared}
        autoComplete="new-password"
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (kind === undefined)
    return <TextInput {...shared} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <Textarea
      {...shared}
      autosize
      minRows={1}
      maxRows={6}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
