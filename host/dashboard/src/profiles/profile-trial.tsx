import { Badge, Card, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import type { TestProfileReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../parts/isolated.tsx';
import { TrialSteps } from '../settings/trial-steps.tsx';
import { valueText } from '../values/value-text.ts';

interface Props {
  readonly reply: TestProfileReply;
  readonly at: number;
  readonly isStale: boolean;
}

/** What a device has answered: how far the test came, what the node will have, and the first values. */
export function ProfileTrial({ reply, at, isStale }: Props): ReactElement {
  const { t } = useTranslation();
  const { steps, groups, values, notes } = reply;
  const all = groups.reduce((sum, { tags }) => sum + tags, 0);
  return (
    <Stack gap="sm">
      <Card>
        <TrialSteps steps={steps} at={at} type={undefined} isStale={isStale} isDriver />
      </Card>
      {groups.length > 0 && (
        <Card>
          <Title order={3}>{t('profiles.willHave')}</Title>
          <Group gap="xs" mt="xs">
            {groups.map(({ name, tags, interval }) => (
              <Badge
                key={name}
                variant="light"
                color="gray"
                tt="none"
                title={t('profiles.interval', { n: interval })}
              >
                {`${name} · ${t('profiles.tags', { count: tags, n: tags })}`}
              </Badge>
            ))}
          </Group>
        </Card>
      )}
      {notes.length > 0 && (
        <Card>
          <Title order={3}>{t('profiles.passedOver')}</Title>
          <List size="sm" mt="xs">
            {notes.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        </Card>
      )}
      {values.length > 0 && (
        <Card>
          <Title order={3} mb="xs">
            {values.length < all
              ? t('profiles.shownOf', { count: values.length, all })
              : t('profiles.shown', { count: values.length })}
          </Title>
          <Values values={values} hasGroups={groups.length > 1} />
        </Card>
      )}
    </Stack>
  );
}

function Values({
  values,
  hasGroups,
}: {
  readonly values: TestProfileReply['values'];
  readonly hasGroups: boolean;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Table aria-label={t('profiles.value')} layout="auto">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('profiles.tag')}</Table.Th>
          <Table.Th ta="right">{t('profiles.value')}</Table.Th>
          {hasGroups && <Table.Th visibleFrom="sm">{t('profiles.group')}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {values.map(({ group, tag, address, value, unit, message }) => (
          <Table.Tr key={`${group} ${tag}`}>
            <Table.Td title={address} style={{ overflowWrap: 'anywhere' }}>
              <Isolated>{tag}</Isolated>
            </Table.Td>
            {message === undefined ? (
              <Table.Td className="number">
                {valueText(value, 0, 'decimal')}
                {unit !== undefined && (
                  <Text span size="sm" c="dimmed">
                    {` ${unit}`}
                  </Text>
                )}
              </Table.Td>
            ) : (
              <Table.Td>
                <Text size="xs" c="red" style={{ overflowWrap: 'anywhere' }}>
                  {message}
                </Text>
              </Table.Td>
            )}
            {hasGroups && (
              <Table.Td visibleFrom="sm">
                <Text size="sm" c="dimmed">
                  {group}
                </Text>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
