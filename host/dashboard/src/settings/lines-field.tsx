import { Button, Group, Input, Text, Textarea } from '@mantine/core';
import { referencesIn } from '@tagway/schemas';
import type { WidgetProps } from '@rjsf/utils';
import { Suspense, useMemo, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../parts/lazy-part.ts';
import { numberText } from '../parts/number-text.ts';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/table.ts';
import { rolesOf, tableOf } from './table/table-spec.ts';
import { TagPicker } from './table/tag-picker.tsx';
import { useReferenceProblems, type NamedTags } from './table/use-reference-problems.ts';
import { checkAfter, commonProps } from './widgets.tsx';

addTexts(texts);

const TableDialog = lazyPart(() => import('./table/table-dialog.tsx'));

/** Lines that are shown of a text that is edited as a table. */
const mostShown = 4;

/** Problems with references that are shown below the text. */
const mostProblems = 5;

/** A text of several lines: the rows of a table, or one that refers to tags. */
export function LinesField(props: WidgetProps): ReactElement {
  const { t } = useTranslation();
  const { schema, onChange } = props;
  const common = commonProps(props);
  const spec = tableOf(schema);
  const text = typeof props.value === 'string' ? props.value : '';
  const [isOpen, setOpen] = useState(false);
  const [isText, setText] = useState(false);
  if (spec === undefined || common.disabled) return <TextLines {...props} />;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const count = Math.max(0, lines.length - (spec.titles === true ? 1 : 0));
  const named = /\b(?:[Ll]ine|[Rr]ow) (\d+)\b/.exec(common.error ?? '')?.[1];
  const refused =
    named === undefined
      ? undefined
      : { line: Number(named) - (spec.titles === true ? 2 : 1), message: common.error ?? '' };
  const take = (next: string): void => {
    setOpen(false);
    if (next !== text) onChange(next === '' ? undefined : next);
  };
  return (
    <div className="lines-field">
      {isText ? (
        <TextLines {...props} />
      ) : (
        <Input.Wrapper
          id={common.id}
          label={common.label}
          labelElement="div"
          description={common.description}
          required={common.required}
          error={common.error}
        >
          {lines.length > 0 && (
            <pre>
              {lines.slice(0, mostShown).join('\n')}
              {lines.length > mostShown &&
                `\n${t('table.more', { n: numberText(lines.length - mostShown) })}`}
            </pre>
          )}
        </Input.Wrapper>
      )}
      <Group gap="xs" mt={6}>
        <Button id={common.id} variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          {t('table.edit')}
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={() => setText(!isText)}>
          {t(isText ? 'table.hideText' : 'table.asText')}
        </Button>
        <Text size="xs" c="dimmed">
          {t('table.rows', { count, n: numberText(count) })}
        </Text>
      </Group>
      {isOpen && (
        <Suspense fallback={<Text size="sm">{t('app.loading')}</Text>}>
          <TableDialog
            title={common.label}
            spec={spec}
            role={rolesOf(schema)}
            {...{ text, refused }}
            onTake={take}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The text itself; where it refers to tags, with a search for them and what is wrong with the references. */
function TextLines(props: WidgetProps): ReactElement {
  const { t } = useTranslation();
  const { schema, onChange, onBlur, id } = props;
  const common = commonProps(props);
  const area = useRef<HTMLTextAreaElement>(null);
  const text = typeof props.value === 'string' ? props.value : '';
  const role = rolesOf(schema);
  const named = useMemo(() => namedIn(text, role), [text, role]);
  const whyNot = useReferenceProblems(named);
  const problems = (['read', 'write'] as const).flatMap((kind) =>
    named[kind].flatMap((one) => {
      const reason = whyNot(kind, one);
      return reason === undefined ? [] : [`${one}: ${t('table.noTag', { reason })}`];
    }),
  );
  const insert = (reference: string): void => {
    const at = area.current?.selectionEnd ?? text.length;
    const call = `tag("${reference}")`;
    onChange(text.slice(0, at) + call + text.slice(at));
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(at + call.length, at + call.length);
    });
  };
  return (
    <div className="lines-field">
      <Textarea
        {...common}
        ref={area}
        value={text}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        maxLength={schema.maxLength}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', whiteSpace: 'pre', overflowX: 'auto' },
        }}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
        onBlur={() => setTimeout(() => onBlur(id, props.value), checkAfter)}
      />
      {problems.slice(0, mostProblems).map((problem) => (
        <Text key={problem} size="xs" c="red" role="status" style={{ overflowWrap: 'anywhere' }}>
          {problem}
        </Text>
      ))}
      {role !== undefined && !common.disabled && (
        <Group mt={6}>
          <TagPicker label={t('table.insert')} onPick={insert} />
        </Group>
      )}
    </div>
  );
}

/** The references of a text, each once. */
function namedIn(text: string, role: ReturnType<typeof rolesOf>): NamedTags {
  const named = { read: new Set<string>(), write: new Set<string>() };
  if (role !== undefined)
    for (const line of role === 'link' ? text.split('\n') : [text])
      for (const [index, { text: own }] of referencesIn(line).entries())
        named[role === 'link' ? (index === 0 ? 'read' : 'write') : role].add(own);
  return { read: [...named.read], write: [...named.write] };
}
