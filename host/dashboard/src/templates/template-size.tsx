import { Text } from '@mantine/core';
import type { TemplateReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** How many groups and tags a template has. */
export function TemplateSize({ template }: { readonly template: TemplateReply }): ReactElement {
  const { t } = useTranslation();
  const tags = template.groups.reduce((sum, group) => sum + group.tags.length, 0);
  return (
    <Text size="sm" role="status">
      {t('templates.size', {
        groups: t('templates.groups', { count: template.groups.length }),
        tags: t('templates.tags', { count: tags }),
      })}
    </Text>
  );
}
