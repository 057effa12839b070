import { Anchor, Box, Stack, Table, Text, Title } from '@mantine/core';
import type { NodeListenersReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../../api/call.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';

/** Milliseconds between two looks. */
const pace = 10_000;

/** Where nodes take connections: who is let in, and what they may do. */
export function Listeners(): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['listeners'],
    queryFn: async () => (await call<NodeListenersReply>('GET', 'api/v2/node/listeners')).listeners,
    refetchInterval: pace,
  });
  return (
    <Stack>
      <Title order={2}>{t('listeners.title')}</Title>
      <ErrorAlert error={error} />
      {data?.length === 0 && <Text size="sm">{t('listeners.none')}</Text>}
      {data !== undefined && data.length > 0 && (
        <Box tabIndex={0} role="region" aria-label={t('listeners.title')} style={{ overflowX: 'auto' }}>
          <Table aria-label={t('listeners.title')} w="auto">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('listeners.node')}</Table.Th>
                <Table.Th>{t('listeners.place')}</Table.Th>
                <Table.Th>{t('listeners.who')}</Table.Th>
                <Table.Th>{t('listeners.encryption')}</Table.Th>
                <Table.Th>{t('listeners.may')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ node, host, port, protocol, remote, encrypted, restricted, writes }) => (
                <Table.Tr key={`${node} ${host} ${port}`}>
                  <Table.Td>
                    <Anchor component={Link} to={`/nodes/${encodeURIComponent(node)}`}>
                      <Isolated>{node}</Isolated>
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Isolated>{`${host}:${port}`}</Isolated>
                    <Text size="xs" c="dimmed">
                      {protocol}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {t(
                      restricted
                        ? 'listeners.restricted'
                        : remote
                          ? 'listeners.everybody'
                          : 'listeners.machine',
                    )}
                  </Table.Td>
                  <Table.Td>{t(encrypted ? 'listeners.required' : 'listeners.notRequired')}</Table.Td>
                  <Table.Td>{t(writes ? 'listeners.mayWrite' : 'listeners.mayNotWrite')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      )}
    </Stack>
  );
}
