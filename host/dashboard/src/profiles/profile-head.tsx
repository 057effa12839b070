import { Alert, Anchor, Badge, Group, List, Text, Title } from '@mantine/core';
import type { ProfileReply } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../parts/isolated.tsx';
import { linkOf } from '../pages/plugins/plain-text.ts';
import './profiles.css';

/** What a profile is: the device with its picture, the document that it rests on, and whether somebody has tried it. */
export function ProfileHead({ reply }: { readonly reply: ProfileReply }): ReactElement {
  const { t, i18n } = useTranslation();
  const { profile, picture } = reply;
  const {
    name,
    description,
    description_zh: chinese,
    document,
    devices,
    firmware,
    maker,
    tried,
    version,
  } = profile;
  const link = linkOf(document.url);
  const facts: readonly (readonly [string, ReactElement | string | undefined])[] = [
    [t('profiles.maker'), maker],
    [t('profiles.devices'), devices.join(', ')],
    [t('profiles.firmware'), firmware],
    [
      t('profiles.document'),
      link === undefined ? (
        document.title
      ) : (
        <Anchor key="link" size="sm" href={link} target="_blank" rel="noopener noreferrer nofollow">
          {document.title}
        </Anchor>
      ),
    ],
    [t('profiles.version'), version],
    [t('profiles.source'), sourceOf(reply, t)],
  ];
  return (
    <div className="profile-head">
      <div>
        <Group gap="sm">
          <Title order={2}>
            <Isolated>{name}</Isolated>
          </Title>
          <Badge
            variant="light"
            color={tried === undefined ? 'yellow' : 'gray'}
            miw="max-content"
            {...(tried === undefined && { title: t('profiles.notTriedMeans') })}
          >
            {tried === undefined ? t('profiles.notTried') : t('profiles.tried', { what: tried })}
          </Badge>
        </Group>
        <Text c="dimmed">{i18n.language === 'zh' ? (chinese ?? description) : description}</Text>
        <dl className="profile-facts">
          {facts.map(
            ([title, value]) =>
              value !== undefined && (
                <div key={title} style={{ display: 'contents' }}>
                  <dt>{title}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </div>
      {picture !== undefined && <img src={picture} alt={t('profiles.picture', { name })} />}
    </div>
  );
}

/** Where a profile is from. */
export function sourceOf(
  { profile: { system, package: name } }: Pick<ProfileReply, 'profile'>,
  t: TFunction,
): string {
  return name ?? t(system ? 'profiles.isSystem' : 'profiles.isFile');
}

/** What the person who connects the device has to know, in the words of the profile's author. */
export function ProfileNotes({ notes }: { readonly notes: readonly string[] }): ReactElement | null {
  const { t } = useTranslation();
  if (notes.length === 0) return null;
  return (
    <Alert color="gray" variant="light" role="note" title={t('profiles.notes')}>
      <List size="sm">
        {notes.map((note) => (
          <List.Item key={note}>{note}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
