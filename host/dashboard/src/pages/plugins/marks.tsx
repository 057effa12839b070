import { Badge, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { plainText } from './plain-text.ts';

/** Whether a version fits this gateway, or why not. */
export function Fit({ fits, reason }: { readonly fits: boolean; readonly reason?: string }): ReactElement {
  const { t } = useTranslation();
  const text = fits ? t('find.doesFit') : plainText(reason ?? t('find.doesNotFit'));
  return (
    <Text size="sm" truncate="end" maw={240} title={text} {...(!fits && { c: 'dimmed' })}>
      {text}
    </Text>
  );
}

interface TrustProps {
  readonly signed: boolean;
  readonly attested: boolean;
}

/** What a registry says of a version's signature and attestation, which are verified before it is installed. */
export function Trust({ signed, attested }: TrustProps): ReactElement {
  const { t } = useTranslation();
  if (!signed && !attested) return <Text size="sm">{t('find.neither')}</Text>;
  return (
    <Group gap={4} wrap="nowrap">
      {signed && (
        <Badge variant="light" color="teal" style={{ flexShrink: 0 }} title={t('find.signedMeans')}>
          {t('find.signed')}
        </Badge>
      )}
      {attested && (
        <Badge variant="light" color="teal" style={{ flexShrink: 0 }} title={t('find.attestedMeans')}>
          {t('find.attested')}
        </Badge>
      )}
    </Group>
  );
}

/** A name that can be taken for another one, as a mark in a row. */
export function LookAlike({ other }: { readonly other: string }): ReactElement {
  const { t } = useTranslation();
  return (
    <Badge
      variant="light"
      color="red"
      style={{ flexShrink: 0 }}
      title={t('find.looksLike', { other: plainText(other) })}
    >
      {t('find.lookAlike')}
    </Badge>
  );
}
