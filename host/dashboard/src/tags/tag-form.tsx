import { Alert, Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { Attribute, type TagInput, type TagRecord, type TestReadReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Revised } from '../api/call.ts';
import type { TagRules } from '../api/tag-rules.ts';
import { ExpressionField } from '../expression/expression-field.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { StaleSave } from '../parts/stale-save.tsx';
import type { Fields } from '../parts/three-way.ts';
import { useDraft } from '../parts/use-draft.ts';
import { useSending } from '../parts/use-sending.ts';
import { typeFrom, typeNames } from '../values/data-types.ts';
import { valueText } from '../values/value-text.ts';
import { AddressExamples } from './address-examples.tsx';
import { loadTag, saveTag } from './apply.ts';
import { tagProblems, type TagField } from './tag-problems.ts';
import { attributeFrom, attributeNames, attributeText, tagFrom, textOf, type TagText } from './tag-text.ts';

/** Loads and saves tags that belong to a template, so that no device can be read. */
export interface TagStore {
  readonly load: (name: string) => Promise<Revised<Fields | null>>;
  readonly save: (tag: TagInput, before: string | undefined, revision: string) => Promise<Revised<unknown>>;
}

interface Props {
  readonly node: string;
  readonly group: string;
  readonly rules: TagRules;
  /** The tag to change; undefined for a new one. */
  readonly tag: TagRecord | undefined;
  readonly store?: TagStore;
  readonly onClose: () => void;
  /** Called when the gateway has saved the tag. */
  readonly onSaved: (name: string) => void;
}

const blank: TagText = {
  name: '',
  address: '',
  attribute: 'Read',
  type: 'INT16',
  description: '',
  decimal: '',
  precision: '',
  bias: '',
  deadband: '',
  unit: '',
  low: '',
  high: '',
  value: '',
};

/** Adds or changes one tag. Its address is checked while it is typed, and can be read from the device before the tag is saved. */
export function TagForm({ node, group, rules, tag, store, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState<TagText>(tag === undefined ? blank : textOf(tag));
  const [touched, setTouched] = useState<ReadonlySet<TagField>>(new Set());
  const [tested, setTested] = useState<{ readonly value: unknown; readonly type: number }>();
  const { isBusy: isTesting, error: failure, run } = useSending();
  const draft = useDraft({
    opened: tag === undefined ? null : textOf(tag),
    load: () => store?.load(tag?.name ?? '') ?? loadTag(node, group, tag?.name ?? ''),
    send: (fields, revision): Promise<Revised<unknown>> =>
      store?.save(tagFrom(fields as TagText).tag, tag?.name, revision) ??
      saveTag({ node, group, name: tag?.name }, fields, revision),
    onTake: (fields) => setText(fields as TagText),
    onSaved: (_nothing, fields) => onSaved((fields as TagText).name),
  });
  const { tag: input, problems: unreadable } = tagFrom(text);
  const problems = [...unreadable, ...tagProblems(input, rules)];
  const attribute = attributeFrom(text.attribute) ?? 0;
  const isStatic = (attribute & Attribute.STATIC) !== 0;

  const set = (field: keyof TagText, value: string): void => {
    setText((before) => ({ ...before, [field]: value }));
    setTouched((before) => new Set([...before, field]));
    setTested(undefined);
  };
  const problemOf = (field: TagField): string | undefined => {
    const problem = touched.has(field) ? problems.find((one) => one.field === field) : undefined;
    return problem && t(`tags.rule.${problem.rule}`, { limit: problem.limit });
  };
  const field = (
    name: keyof TagText,
  ): {
    value: string;
    error: string | undefined;
    onChange: (event: { currentTarget: { value: string } }) => void;
  } => ({
    value: text[name],
    error: problemOf(name),
    onChange: (event) => set(name, event.currentTarget.value),
  });

  function save(): void {
    setTouched(new Set(problems.map((problem) => problem.field)));
    if (problems.length === 0) void draft.save(text);
  }

  async function read(address: string): Promise<unknown> {
    const { type, precision } = input;
    const body = {
      driver: node,
      group,
      tag: input.name || 'test',
      address,
      attribute: attribute | Attribute.READ,
      type,
      precision,
      decimal: 0,
      bias: 0,
    };
    return (await call<TestReadReply>('POST', 'api/v2/read/test', { body })).value;
  }

  const test = (): Promise<void> =>
    run(async () => {
      setTested(undefined);
      const { address, type } = input;
      setTested({ value: await read(address), type });
    });

  const supported = typeNames.filter((name) => rules.addresses?.has(typeFrom(name) ?? 0) ?? true);
  const types = isStatic || supported.length === 0 ? typeNames : supported;
  return (
    <Dialog
      size="lg"
      title={tag === undefined ? t('tags.add') : t('tags.edit', { tag: tag.name })}
      action={t('app.save')}
      isBusy={draft.isBusy}
      error={draft.error ?? failure}
      isCovered={draft.stale !== undefined}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput label={t('tags.name')} data-autofocus required {...field('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NativeSelect
          label={t('tags.type')}
          data={types.includes(text.type) ? [...types] : [text.type, ...types]}
          value={text.type}
          error={problemOf('type')}
          onChange={(event) => set('type', event.currentTarget.value)}
        />
        <Checkbox.Group
          label={t('tags.attribute')}
          value={attributeNames.filter((name) => (attribute & Attribute[name]) !== 0)}
          error={problemOf('attribute')}
          onChange={(names) => set('attribute', attributeText(sum(names)))}
        >
          <Group gap="sm" mt={6}>
            {attributeNames.map((name) => (
              <Checkbox key={name} size="xs" value={name} label={t(`tags.attributes.${name}`)} />
            ))}
          </Group>
        </Checkbox.Group>
      </SimpleGrid>
      {isStatic ? (
        <TextInput label={t('tags.value')} required {...field('value')} />
      ) : (
        <Stack gap={4}>
          {rules.refersToTags ? (
            <ExpressionField
              label={t('tags.address')}
              node={node}
              type={input.type}
              value={text.address}
              error={problemOf('address')}
              onChange={(address) => set('address', address)}
              evaluate={
                store === undefined
                  ? async (address) => valueText(await read(address), input.type, 'decimal')
                  : undefined
              }
            />
          ) : (
            <Group align="flex-end" wrap="nowrap">
              {/* Until the rules are there it may yet become a field for expressions, and what is typed meanwhile would be lost. */}
              <TextInput
                label={t('tags.address')}
                disabled={rules.isPending}
                required
                spellCheck={false}
                autoComplete="off"
                style={{ flex: 1 }}
                {...field('address')}
              />
              {store === undefined && (
                <Button
                  variant="default"
                  loading={isTesting}
                  disabled={input.address === ''}
                  onClick={() => void test()}
                >
                  {t('tags.test')}
                </Button>
              )}
            </Group>
          )}
          <AddressExamples
            of={rules.examples.get(input.type) ?? []}
            use={(address) => set('address', address)}
          />
        </Stack>
      )}
      {tested !== undefined && (
        <Alert color="teal" role="status">
          {t('tags.tested', { value: valueText(tested.value, tested.type, 'decimal') })}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label={t('tags.decimal')} inputMode="decimal" {...field('decimal')} />
        <TextInput label={t('tags.bias')} inputMode="decimal" {...field('bias')} />
        <TextInput label={t('tags.precision')} inputMode="numeric" {...field('precision')} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 2, xs: 4 }}>
        <TextInput label={t('tags.deadband')} {...field('deadband')} />
        <TextInput label={t('tags.unit')} {...field('unit')} />
        <TextInput label={t('tags.low')} inputMode="decimal" {...field('low')} />
        <TextInput label={t('tags.high')} inputMode="decimal" {...field('high')} />
      </SimpleGrid>
      <TextInput label={t('tags.description')} {...field('description')} />
      <StaleSave draft={draft} labelOf={(name) => t(`tags.${name as keyof TagText}`)} mayRecreate />
    </Dialog>
  );
}

const sum = (names: readonly string[]): number =>
  attributeNames.reduce((flags, name) => (names.includes(name) ? flags | Attribute[name] : flags), 0);
