import {
  ActionIcon,
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  NumberInput,
  Select,
  Text,
  TextInput,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { roles, type AddTokenReply, type Role, type TokensReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Table } from '../../parts/table.tsx';
import { timeText } from '../../parts/times.ts';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';

/** The tokens of machines. A new token is shown once. */
export function Tokens(): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const [toDelete, setToDelete] = useState<string>();
  const { data = [], error } = useQuery({
    queryKey: ['tokens'],
    queryFn: async () => (await call<TokensReply>('GET', 'api/v2/tokens')).tokens,
  });

  async function revoke(name: string): Promise<void> {
    await run(() => call('DELETE', 'api/v2/tokens', { body: { name } }), t('tokens.didRevoke', { name }));
    setToDelete(undefined);
    await refresh(['tokens']);
  }

  const time = (title: string, of: (row: TokensReply['tokens'][number]) => number | undefined) => ({
    key: title,
    title,
    order: (row: TokensReply['tokens'][number]) => of(row) ?? 0,
    cell: (row: TokensReply['tokens'][number]) => {
      const at = of(row);
      return <Text size="sm">{at === undefined ? t('tokens.never') : timeText(at)}</Text>;
    },
  });
  return (
    <>
      <ErrorAlert error={error} />
      <Table
        rows={data}
        keyOf={({ name }) => name}
        label={t('tokens.title')}
        height="50vh"
        columns={[
          { key: 'name', title: t('tokens.name'), order: ({ name }) => name, cell: ({ name }) => name },
          {
            key: 'role',
            title: t('tokens.role'),
            order: ({ role }) => roles.indexOf(role),
            cell: ({ role }) => role,
          },
          time(t('tokens.created'), ({ created }) => created),
          time(t('tokens.expires'), ({ expires }) => expires),
          time(t('tokens.used'), ({ last_used }) => last_used),
          {
            key: 'actions',
            title: t('users.actions'),
            cell: ({ name }) => (
              <ActionIcon
                variant="default"
                aria-label={t('tokens.revoke', { name })}
                onClick={() => setToDelete(name)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            ),
          },
        ]}
      />
      <AddToken />
      {toDelete !== undefined && (
        <Confirm
          isOpen
          title={t('tokens.revoke', { name: toDelete })}
          action={t('app.delete')}
          isBusy={isBusy}
          onConfirm={() => void revoke(toDelete)}
          onClose={() => setToDelete(undefined)}
        >
          <Text size="sm">{t('tokens.revokeAsk', { name: toDelete })}</Text>
        </Confirm>
      )}
    </>
  );
}

function AddToken(): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState<number | string>(365);
  const [secret, setSecret] = useState<string>();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();

  async function add(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const body = { name, role, ...(typeof days === 'number' && { days }) };
    await run(
      async () => setSecret((await call<AddTokenReply>('POST', 'api/v2/tokens', { body })).token),
      t('tokens.didAdd', { name }),
    );
    await refresh(['tokens']);
  }

  return (
    <>
      <form onSubmit={(event) => void add(event)}>
        <Group align="flex-end">
          <TextInput
            label={t('tokens.name')}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('tokens.role')}
            data={roles}
            value={role}
            allowDeselect={false}
            onChange={(next) => next !== null && setRole(next)}
            w={140}
          />
          <NumberInput label={t('tokens.days')} min={1} max={1826} value={days} onChange={setDays} w={160} />
          <Button type="submit" loading={isBusy}>
            {t('tokens.add')}
          </Button>
        </Group>
      </form>
      {secret !== undefined && (
        <Alert color="yellow" variant="light" role="status">
          <Text size="sm">{t('tokens.once')}</Text>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button variant="default" size="xs" mt="xs" onClick={copy}>
                {t(copied ? 'tokens.copied' : 'tokens.copy')}
              </Button>
            )}
          </CopyButton>
        </Alert>
      )}
    </>
  );
}
