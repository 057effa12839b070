import { Anchor, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly of: readonly string[];
  readonly use: (address: string) => void;
}

/** The plugin's examples of addresses; a click takes one. Nothing when the plugin has none for the type. */
export function AddressExamples({ of, use }: Props): ReactElement | null {
  const { t } = useTranslation();
  if (of.length === 0) return null;
  return (
    <Group gap="xs">
      <Text size="xs">{t('tags.examples')}</Text>
      {of.map((address) => (
        <Anchor
          key={address}
          component="button"
          type="button"
          size="xs"
          ff="monospace"
          onClick={() => use(address)}
        >
          {address}
        </Anchor>
      ))}
    </Group>
  );
}
