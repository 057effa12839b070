import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Crumbs } from '../parts/crumbs.tsx';

interface Props {
  readonly template: string;
  readonly group?: string;
}

/** Where a template or one of its groups is: the templates, the template, the group. */
export function TemplateBreadcrumbs({ template, group }: Props): ReactElement {
  const { t } = useTranslation();
  const steps: { to: string; text: string }[] = [{ to: '/templates', text: t('nav.templates') }];
  if (group !== undefined) steps.push({ to: `/templates/${encodeURIComponent(template)}`, text: template });
  return <Crumbs steps={steps} here={group ?? template} />;
}
