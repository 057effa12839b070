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
  /** The registry says so, and nothing was verified. */
  readonly isClaim?: boolean;
}

/** Whether a version is signed by its registry and attested by the place where it was built. */
export function Trust({ signed, attested, isClaim = false }: TrustProps): ReactElement {
  const { t } = useTranslation();
  if (!signed && !attested) return <Text size="sm">{t('find.neither')}</Text>;
  return (
    <Group gap={4} wrap="nowrap">
      {signed && (
        <Mark
          text={t(isClaim ? 'find.signedClaim' : 'find.signed')}
          title={t(isClaim ? 'find.claimMeans' : 'find.signedMeans')}
          color={isClaim ? 'gray' : 'teal'}
        />
      )}
      {attested && (
        <Mark
          text={t(isClaim ? 'find.attestedClaim' : 'find.attested')}
          title={t(isClaim ? 'find.claimMeans' : 'find.attestedMeans')}
          color={isClaim ? 'gray' : 'teal'}
        />
      )}
    </Group>
  );
}

interface MarkProps {
  readonly text: string;
  readonly title: string;
  readonly color: string;
}

function Mark({ text, title, color }: MarkProps): ReactElement {
  return (
    <Badge variant="light" color={color} style={{ flexShrink: 0 }} title={title}>
      {text}
    </Badge>
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
