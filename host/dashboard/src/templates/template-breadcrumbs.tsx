import { Anchor, Breadcrumbs, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

/** The breadcrumbs of a template: the templates, the template, the group. */
export function TemplateBreadcrumbs({
  template,
  group,
}: {
  readonly template: string;
  readonly group?: string;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Breadcrumbs>
      <Anchor component={Link} to="/templates">
        {t('nav.templates')}
      </Anchor>
      {group === undefined ? (
        <Text>{template}</Text>
      ) : (
        <Anchor component={Link} to={`/templates/${encodeURIComponent(template)}`}>
          {template}
        </Anchor>
      )}
      {group !== undefined && <Text>{group}</Text>}
    </Breadcrumbs>
  );
}
