import { Alert, Badge, Button, FileInput, Group, List, Stack, Text, Title } from '@mantine/core';
import type { ConfigBody } from '@tagway/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { parseExact, stringifyExact } from '../api/exact-json.ts';
import { useMay } from '../api/use-role.ts';
import { Confirm } from '../parts/confirm.tsx';
import { download, today } from '../parts/download.ts';
import { Table, type Column } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { Trouble } from '../shell/trouble.tsx';
import { configFrom, differences, type Difference } from '../transfer/differences.ts';

/** The whole configuration as a file, and a file as the configuration, with what it changes shown before. */
export default function Transfer(): ReactElement {
  const { t } = useTranslation();
  const mayEdit = useMay('engineer');
  const queries = useQueryClient();
  const { isBusy, run } = useAction();
  const [file, setFile] = useState<File | null>(null);
  const [next, setNext] = useState<ConfigBody>();
  const [found, setFound] = useState<readonly Difference[]>();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  const [isAsking, setAsking] = useState(false);

  async function save(): Promise<void> {
    const config = await call('GET', 'api/v2/global/config');
    const text = stringifyExact(config);
    download(`tagway-${today()}.json`, new Blob([text], { type: 'application/json' }));
  }

  async function compare(chosen: File | null): Promise<void> {
    setFile(chosen);
    setNext(undefined);
    setFound(undefined);
    setError(undefined);
    setWarnings([]);
    if (chosen === null) return;
    try {
      const config = configFrom(parseExact(await chosen.text()));
      if (config === undefined) throw new Error(t('transfer.noConfig'));
      const current = await call<ConfigBody>('GET', 'api/v2/global/config');
      setNext(config);
      setFound(differences(current, config));
    } catch (problem) {
      setError(problem instanceof SyntaxError ? new Error(t('transfer.noConfig')) : problem);
    }
  }

  async function apply(): Promise<void> {
    setAsking(false);
    const reply = await call<{ warnings?: string[] }>('PUT', 'api/v2/global/config', { body: next });
    setWarnings(reply.warnings ?? []);
    setFound(undefined);
    setNext(undefined);
    setFile(null);
    await queries.invalidateQueries();
  }

  const count = (change: Difference['change']): number =>
    found?.filter((one) => one.change === change).length ?? 0;
  const numbers = { add: count('add'), change: count('change'), remove: count('remove') };
  const columns: readonly Column<Difference>[] = [
    {
      key: 'change',
      title: t('transfer.change'),
      width: 110,
      order: ({ change }) => change,
      cell: ({ change }) => (
        <Badge variant="light" color={{ add: 'teal', change: 'blue', remove: 'red' }[change]}>
          {t(`transfer.changes.${change}`)}
        </Badge>
      ),
    },
    {
      key: 'kind',
      title: t('transfer.kind'),
      width: 130,
      order: ({ kind }) => kind,
      cell: ({ kind }) => t(`transfer.kinds.${kind}`),
    },
    {
      key: 'name',
      title: t('transfer.name'),
      order: ({ name }) => name,
      cell: ({ name }) => <Cut>{name}</Cut>,
    },
    { key: 'before', title: t('transfer.before'), cell: ({ before }) => <Cut>{before}</Cut> },
    { key: 'after', title: t('transfer.after'), cell: ({ after }) => <Cut>{after}</Cut> },
  ];

  return (
    <Stack>
      <Title order={2}>{t('nav.transfer')}</Title>
      <Text size="sm">{t('transfer.about')}</Text>
      <Group align="flex-end">
        <Button loading={isBusy} onClick={() => void run(save, t('transfer.exported'))}>
          {t('transfer.export')}
        </Button>
        <FileInput
          label={t('transfer.file')}
          accept=".json,application/json"
          value={file}
          clearable
          disabled={!mayEdit}
          description={mayEdit ? undefined : t('transfer.needsEngineer')}
          style={{ flex: '1 1 240px' }}
          onChange={(chosen) => void compare(chosen)}
        />
      </Group>
      <Trouble error={error} />
      {warnings.length > 0 && (
        <Alert color="yellow" title={t('transfer.warnings')} role="alert">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {found !== undefined && (
        <>
          <Alert color={found.length === 0 ? 'blue' : 'teal'} role="status">
            {found.length === 0 ? t('transfer.same') : t('transfer.counts', numbers)}
          </Alert>
          {found.length > 0 && (
            <>
              <Table
                rows={found}
                columns={columns}
                keyOf={({ key }) => key}
                label={t('transfer.list')}
                height="calc(100vh - 420px)"
              />
              <Group>
                <Button color="red" disabled={!mayEdit} loading={isBusy} onClick={() => setAsking(true)}>
                  {t('transfer.apply')}
                </Button>
              </Group>
            </>
          )}
        </>
      )}
      <Confirm
        isOpen={isAsking}
        title={t('transfer.apply')}
        action={t('transfer.apply')}
        onClose={() => setAsking(false)}
        onConfirm={() => void run(apply, t('transfer.imported'))}
      >
        <Text size="sm">{t('transfer.sure', numbers)}</Text>
      </Confirm>
    </Stack>
  );
}

function Cut({ children }: { readonly children: string }): ReactElement {
  return (
    <Text size="sm" ff="monospace" truncate maw={300} title={children}>
      {children}
    </Text>
  );
}
