import { Card, Collapse, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ObjectFieldTemplateProps } from '@rjsf/utils';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { sectionOf, sections, type Section } from './sections.ts';
import { settingsOf } from './settings-of.ts';
import { isOfLines } from './table/table-spec.ts';
import './settings.css';

type Field = ObjectFieldTemplateProps['properties'][number];

/** The fields of a form in the sections that the schema names, with a list of these beside them where there is room. */
export function SectionedFields({ properties, schema, errorSchema }: ObjectFieldTemplateProps): ReactElement {
  const { t } = useTranslation();
  const settings = settingsOf(schema);
  const shown = properties.filter(({ hidden }) => !hidden);
  const parts = sections
    .map((section) => ({
      section,
      fields: shown.filter(({ name }) => sectionOf(settings[name]) === section),
    }))
    .filter(({ fields }) => fields.length > 0);
  const blamed = (fields: readonly Field[]): boolean =>
    fields.some(({ name }) => (errorSchema?.[name]?.__errors?.length ?? 0) > 0);
  const isWide = (name: string): boolean => settings[name] !== undefined && isOfLines(settings[name]);
  const [isOpen, setOpen] = useState(false);
  const show = (section: Section): void => {
    if (section === 'advanced') setOpen(true);
    document.getElementById(`section-${section}`)?.scrollIntoView({ block: 'start' });
  };
  return (
    <div className="settings-form">
      {parts.length > 1 && (
        <nav aria-label={t('settings.sections')}>
          {parts.map(({ section }) => (
            <button key={section} type="button" onClick={() => show(section)}>
              {t(`settings.${section}`)}
            </button>
          ))}
        </nav>
      )}
      <div className="parts">
        {parts.map(({ section, fields }) =>
          section === 'advanced' && parts.length > 1 ? (
            <Folded
              key={section}
              {...{ fields, isWide }}
              isOpen={isOpen || blamed(fields)}
              onToggle={() => setOpen(!isOpen)}
            />
          ) : (
            <Part key={section} {...{ section, fields, isWide }} hasTitle={parts.length > 1} />
          ),
        )}
      </div>
    </div>
  );
}

interface PartProps {
  readonly section: Section;
  readonly fields: readonly Field[];
  /** Texts of several lines take the whole width. */
  readonly isWide: (name: string) => boolean;
  readonly hasTitle: boolean;
}

function Part({ section, fields, isWide, hasTitle }: PartProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Card component="section" id={`section-${section}`} aria-label={t(`settings.${section}`)}>
      {hasTitle && <Title order={3}>{t(`settings.${section}`)}</Title>}
      <Fields fields={fields} isWide={isWide} />
    </Card>
  );
}

interface FoldedProps {
  readonly fields: readonly Field[];
  readonly isWide: (name: string) => boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** What few people need: it is folded, and opens by itself when something in it is wrong. */
function Folded({ fields, isWide, isOpen, onToggle }: FoldedProps): ReactElement {
  const { t } = useTranslation();
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Card component="section" id="section-advanced" aria-label={t('settings.advanced')}>
      <UnstyledButton className="fold" aria-expanded={isOpen} onClick={onToggle}>
        <Icon size={16} aria-hidden />
        <Title order={3}>{t('settings.advanced')}</Title>
        <span>{t('settings.folded', { n: fields.length })}</span>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Fields fields={fields} isWide={isWide} />
      </Collapse>
    </Card>
  );
}

const Fields = ({
  fields,
  isWide,
}: {
  readonly fields: readonly Field[];
  readonly isWide: (name: string) => boolean;
}): ReactElement => (
  <div className="fields">
    {fields.map(({ name, content }) => (
      <div key={name} {...(isWide(name) && { className: 'wide' })}>
        {content}
      </div>
    ))}
  </div>
);
