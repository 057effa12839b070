import { Anchor, Button, Card, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { dataTypeName, type ProfileReply } from '@tagway/schemas';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { useMayConfigure } from '../api/use-configure.ts';
import { useMay } from '../api/use-role.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Isolated } from '../parts/isolated.tsx';
import { ProfileHead, ProfileNotes } from '../profiles/profile-head.tsx';
import { useProfile } from '../profiles/profile-queries.ts';
import { InstallProfile } from '../profiles/registry-profile.tsx';
import { RemoveProfile } from '../profiles/remove-profile.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/profiles.ts';
import { useOutdated } from './plugins/directory.ts';
import { Markdown } from './plugins/markdown.tsx';
import './plugins/found.css';

addTexts(texts);

/** One device profile: what it is for, what it gives a node, and which nodes were made of it. */
export default function ProfilePage(): ReactElement {
  const { t } = useTranslation();
  const { profile: id = '' } = useParams();
  const { data, error } = useProfile(id);
  return (
    <Stack>
      <Crumbs steps={[{ to: '/profiles', text: t('profiles.list') }]} here={data?.profile.name ?? id} />
      <ErrorAlert error={error} />
      {data !== undefined && <Details reply={data} />}
    </Stack>
  );
}

function Details({ reply }: { readonly reply: ProfileReply }): ReactElement {
  const { t } = useTranslation();
  const { profile, groups, models = [], nodes, notes, readme, license } = reply;
  return (
    <>
      <ProfileHead reply={reply} />
      <Actions reply={reply} />
      <ProfileNotes notes={notes} />
      <Part title={t('profiles.nodes')}>
        {nodes.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('profiles.noNodes')}
          </Text>
        ) : (
          <Group gap="sm">
            {nodes.map((node) => (
              <Anchor key={node} component={Link} size="sm" to={`/nodes/${encodeURIComponent(node)}/profile`}>
                <Isolated>{node}</Isolated>
              </Anchor>
            ))}
          </Group>
        )}
      </Part>
      {models.length > 0 && (
        <Part title={t('profiles.models')}>
          <List size="sm">
            {models.map(({ id, name, points }) => (
              <List.Item
                key={id}
              >{`${name} · ${t('profiles.points', { count: points, n: points })}`}</List.Item>
            ))}
          </List>
        </Part>
      )}
      {groups.map((group) => (
        <Part key={group.name} title={`${group.name} · ${t('profiles.interval', { n: group.interval })}`}>
          <div className="wide" tabIndex={0} role="region" aria-label={group.name}>
            <Table aria-label={group.name}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('profiles.tag')}</Table.Th>
                  <Table.Th>{t('tags.address')}</Table.Th>
                  <Table.Th>{t('tags.type')}</Table.Th>
                  <Table.Th>{t('tags.unit')}</Table.Th>
                  <Table.Th ta="right">{t('tags.decimal')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {group.tags.map((tag) => (
                  <Table.Tr key={tag.name}>
                    <Table.Td title={tag.description}>{tag.name}</Table.Td>
                    <Table.Td ff="monospace">{tag.address}</Table.Td>
                    <Table.Td>{dataTypeName(tag.type)}</Table.Td>
                    <Table.Td c="dimmed">{tag.unit ?? ''}</Table.Td>
                    <Table.Td className="number">{tag.decimal === 0 ? '' : tag.decimal}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        </Part>
      ))}
      {readme !== undefined && (
        <Part title={t('profiles.readme')}>
          <Markdown text={readme} label={t('profiles.readme')} />
        </Part>
      )}
      {license !== undefined && (
        <Part title={t('profiles.licence')}>
          <Text
            component="pre"
            size="xs"
            style={{ whiteSpace: 'pre-wrap', maxHeight: 320, overflow: 'auto' }}
          >
            {license}
          </Text>
        </Part>
      )}
      <Text size="xs" c="dimmed">
        {profile.id}
      </Text>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <Card>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

/** A driver of it, its newer version, and its end. */
function Actions({ reply: { profile } }: { readonly reply: ProfileReply }): ReactElement | null {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayChange = useMay('engineer');
  const mayAdd = useMayConfigure();
  const newest = useOutdated(mayChange).data?.profiles.find((one) => one.profile === profile.id)?.newest;
  const [isRemoving, setRemoving] = useState(false);
  if (!mayChange) return null;
  return (
    <Group gap="xs" align="flex-start">
      {mayAdd && (
        <Button component={Link} to={`/drivers/add?profile=${encodeURIComponent(profile.id)}`}>
          {t('profiles.use')}
        </Button>
      )}
      {newest !== undefined && profile.package !== undefined && (
        <InstallProfile
          name={profile.package}
          profile={profile.id}
          version={newest}
          text={t('profiles.update', { version: newest })}
          onInstalled={() => undefined}
        />
      )}
      {!profile.system && (
        <Button variant="default" onClick={() => setRemoving(true)}>
          {t('profiles.remove', { name: profile.name })}
        </Button>
      )}
      {isRemoving && (
        <RemoveProfile
          profile={profile}
          onClose={() => setRemoving(false)}
          onRemoved={() => void navigate('/profiles')}
        />
      )}
    </Group>
  );
}
