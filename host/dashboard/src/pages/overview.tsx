import { Anchor, Badge, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { NodeStateRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useStates } from '../live/use-live.ts';
import { isTroubled } from '../parts/node-state.ts';

/** What is wrong now, and one calm sentence when nothing is. */
export default function Overview(): ReactElement {
  const { t } = useTranslation();
  const states = useStates();
  if (states === undefined) return <Text>{t('app.loading')}</Text>;
  const troubled = [...states.values()].filter(isTroubled);
  return (
    <Stack>
      <Title order={2}>{t('nav.overview')}</Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {troubled.map((state) => (
          <Trouble key={state.node} state={state} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Trouble({ state }: { readonly state: NodeStateRecord }): ReactElement {
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Anchor href={`#/nodes/${encodeURIComponent(state.node)}`}>{state.node}</Anchor>
        <Badge color="red">{state.link}</Badge>
      </Group>
      <Text size="sm">{state.last_error?.text}</Text>
    </Card>
  );
}
