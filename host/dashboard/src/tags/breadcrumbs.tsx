import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Crumbs } from '../parts/crumbs.tsx';

export const groupsPath = (node: string): string => `/nodes/${encodeURIComponent(node)}/groups`;
export const tagsPath = (node: string, group: string): string =>
  `${groupsPath(node)}/${encodeURIComponent(group)}`;

interface Props {
  readonly node: string;
  readonly group: string;
}

/** Where the tags of a group are: the drivers, the node, its groups, the group. */
export function TagBreadcrumbs({ node, group }: Props): ReactElement {
  const { t } = useTranslation();
  const steps = [
    { to: '/drivers', text: t('nav.drivers') },
    { to: `/nodes/${encodeURIComponent(node)}`, text: node },
    { to: groupsPath(node), text: t('tags.groups') },
  ];
  return <Crumbs steps={steps} here={group} />;
}
