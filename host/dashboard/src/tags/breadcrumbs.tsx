import { Anchor, Breadcrumbs, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

export const groupsPath = (node: string): string => `/nodes/${encodeURIComponent(node)}/groups`;
export const tagsPath = (node: string, group: string): string =>
  `${groupsPath(node)}/${encodeURIComponent(group)}`;

/** The breadcrumbs of a group's tags: the node, its groups, the group. */
export function TagBreadcrumbs({
  node,
  group,
}: {
  readonly node: string;
  readonly group?: string;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Breadcrumbs>
      <Anchor component={Link} to={`/nodes/${encodeURIComponent(node)}`}>
        {node}
      </Anchor>
      {group === undefined ? (
        <Text>{t('tags.groups')}</Text>
      ) : (
        <Anchor component={Link} to={groupsPath(node)}>
          {t('tags.groups')}
        </Anchor>
      )}
      {group !== undefined && <Text>{group}</Text>}
    </Breadcrumbs>
  );
}
