import { Anchor, Text } from '@mantine/core';
import type { LogReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../api/call.ts';

const day = 86_400;
const pageSize = 200;

/** The newest line of a node's log that is a warning or worse, of the last day; null where there is none. */
async function newestWarning(node: string): Promise<string | null> {
  const since = Math.floor(Date.now() / 1000) - day;
  const query = { since, until: since + 2 * day, level: 'warn', node, page_size: pageSize };
  const first = await call<LogReply>('GET', 'api/v2/log', { query: { ...query, page: 0 } });
  const last =
    first.page_count > 1
      ? await call<LogReply>('GET', 'api/v2/log', { query: { ...query, page: first.page_count - 1 } })
      : first;
  return last.rows.at(-1) ?? null;
}

/** What a node without a link said last: why, in the words of its plugin, and the way to its log. */
export function LastWarning({ node }: { readonly node: string }): ReactElement {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['last-warning', node],
    queryFn: () => newestWarning(node),
    refetchInterval: 5000,
  });
  return (
    <>
      {data && (
        <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {data}
        </Text>
      )}
      <Anchor component={Link} to={`/logs?node=${encodeURIComponent(node)}`} size="sm" underline="always">
        {t('causes.log')}
      </Anchor>
    </>
  );
}
