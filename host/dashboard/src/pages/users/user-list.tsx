import { ActionIcon, Button, Group, PasswordInput, Select, Text, TextInput } from '@mantine/core';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { roles, type Role, type UsersReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Table } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { NewPassword } from './new-password.tsx';
import { Isolated } from '../../parts/isolated.tsx';

/** All users, for admins, with their roles and passwords. */
export function UserList(): ReactElement {
  const { t } = useTranslation();
  const self = useSession()?.user;
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const [toDelete, setToDelete] = useState<string>();
  const [renewed, setRenewed] = useState<string>();
  const { data = [], error } = useQuery({
    queryKey: ['users'],
    queryFn: async () => (await call<UsersReply>('GET', 'api/v2/users')).users,
  });

  async function change(name: string, role: Role): Promise<void> {
    await run(
      () => call('PUT', 'api/v2/users', { body: { name, role } }),
      t('users.didRole', { name, role }),
    );
    await refresh(['users'], ['self']);
  }

  async function remove(name: string): Promise<void> {
    await run(() => call('DELETE', 'api/v2/users', { body: { name } }), t('users.didDelete', { name }));
    setToDelete(undefined);
    await refresh(['users']);
  }

  return (
    <>
      <ErrorAlert error={error} />
      <Table
        rows={data}
        keyOf={({ name }) => name}
        label={t('users.all')}
        height="50vh"
        columns={[
          {
            key: 'name',
            title: t('users.name'),
            order: ({ name }) => name,
            cell: ({ name }) => (
              <Text size="sm">
                <Isolated>{name}</Isolated>
              </Text>
            ),
          },
          {
            key: 'role',
            title: t('users.role'),
            order: ({ role = 'viewer' }) => roles.indexOf(role),
            cell: ({ name, role }) => (
              <Select
                size="xs"
                aria-label={t('users.roleOf', { name })}
                data={roles}
                value={role ?? null}
                allowDeselect={false}
                disabled={name === self || isBusy}
                onChange={(next) => next !== null && void change(name, next)}
                w={130}
              />
            ),
          },
          {
            key: 'actions',
            title: t('users.actions'),
            cell: ({ name }) => (
              <ActionIcon.Group>
                <ActionIcon
                  variant="default"
                  aria-label={t('users.setPassword', { name })}
                  onClick={() => setRenewed(name)}
                >
                  <IconKey size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  aria-label={t('users.delete', { name })}
                  disabled={name === self}
                  onClick={() => setToDelete(name)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </ActionIcon.Group>
            ),
          },
        ]}
      />
      <AddUser />
      {renewed !== undefined && <NewPassword name={renewed} onClose={() => setRenewed(undefined)} />}
      {toDelete !== undefined && (
        <Confirm
          isOpen
          title={t('users.delete', { name: toDelete })}
          action={t('app.delete')}
          isBusy={isBusy}
          onConfirm={() => void remove(toDelete)}
          onClose={() => setToDelete(undefined)}
        >
          <Text size="sm">{t('users.deleteAsk', { name: toDelete })}</Text>
        </Confirm>
      )}
    </>
  );
}

function AddUser(): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const { run, isBusy } = useAction();
  const refresh = useRefresh();

  async function add(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const isDone = await run(
      () => call('POST', 'api/v2/users', { body: { name, password, role } }),
      t('users.didAdd', { name }),
    );
    if (!isDone) return;
    setName('');
    setPassword('');
    await refresh(['users']);
  }

  return (
    <form onSubmit={(event) => void add(event)}>
      <Group align="flex-end">
        <TextInput
          label={t('users.name')}
          description={t('users.nameHelp')}
          required
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('login.password')}
          description={t('users.passwordHelp')}
          required
          autoComplete="new-password"
          w={200}
          value={password}
          visibilityToggleButtonProps={{ 'aria-label': t('settings.reveal') }}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Select
          label={t('users.role')}
          data={roles.map((value) => ({ value, label: t(`users.${value}`) }))}
          value={role}
          allowDeselect={false}
          onChange={(next) => next !== null && setRole(next)}
          w={280}
        />
        <Button type="submit" loading={isBusy}>
          {t('users.add')}
        </Button>
      </Group>
    </form>
  );
}
