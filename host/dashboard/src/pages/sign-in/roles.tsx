import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type RoleOfValue, roles as allRoles } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { newRole } from './fields.ts';

interface Props {
  readonly way: 'ldap' | 'oidc';
  readonly roles: readonly RoleOfValue[];
  readonly onChange: (roles: RoleOfValue[]) => void;
}

/** Which group, or value of a claim, has which role. */
export function Roles({ way, roles, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const change = (place: number, changed: Partial<RoleOfValue>): void =>
    onChange(roles.map((one, index) => (index === place ? { ...one, ...changed } : one)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('signIn.roles')}
      </Text>
      <Text size="xs" c="dimmed">
        {t(`signIn.${way}Roles`)}
      </Text>
      {roles.map(({ value, role }, place) => (
        // Rows have no name of their own: they are what stands at a place.
        <Group key={place} wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={t('signIn.valueOf', { n: place + 1 })}
            value={value}
            onChange={(event) => change(place, { value: event.currentTarget.value })}
          />
          <Select
            w={130}
            aria-label={t('signIn.roleOf', { n: place + 1 })}
            data={allRoles}
            allowDeselect={false}
            value={role}
            onChange={(chosen) => change(place, { role: allRoles.find((one) => one === chosen) ?? role })}
          />
          <ActionIcon
            variant="default"
            aria-label={t('signIn.removeRole', { n: place + 1 })}
            onClick={() => onChange(roles.filter((_, index) => index !== place))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => onChange([...roles, newRole])}>
          {t('signIn.addRole')}
        </Button>
      </Group>
    </Stack>
  );
}
