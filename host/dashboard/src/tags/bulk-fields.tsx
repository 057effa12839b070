import { Checkbox, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { typeNames } from '../values/data-types.ts';
import { bulkFields, type BulkChange, type BulkField } from './bulk-change.ts';
import type { TagText } from './tag-text.ts';

interface Props {
  readonly change: BulkChange;
  /** One of the tags: a field that is switched on starts with its value. */
  readonly sample: TagText | undefined;
  readonly set: (part: Partial<BulkChange>) => void;
}

const texts = [
  ['prefix', 'suffix'],
  ['findInName', 'replaceInName'],
  ['findInAddress', 'replaceInAddress'],
] as const;

/** The inputs for a change of the names, addresses and other fields of many tags. */
export function BulkFields({ change, sample, set }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs" style={{ alignItems: 'end' }}>
        {texts.flat().map((part, index) => (
          <TextInput
            key={part}
            size="xs"
            label={t(`tags.${part}`)}
            spellCheck={false}
            autoComplete="off"
            data-autofocus={index === 0 ? true : undefined}
            value={change[part]}
            onChange={(event) => set({ [part]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={6}>
        {bulkFields.map((field) => (
          <BulkFieldRow
            key={field}
            field={field}
            value={change.fields[field]}
            first={sample?.[field] ?? ''}
            onChange={(value) => {
              const { [field]: _, ...others } = change.fields;
              set({ fields: value === undefined ? others : { ...others, [field]: value } });
            }}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function BulkFieldRow({
  field,
  value,
  first,
  onChange,
}: {
  readonly field: BulkField;
  readonly value: string | undefined;
  readonly first: string;
  readonly onChange: (value: string | undefined) => void;
}): ReactElement {
  const { t } = useTranslation();
  const input = {
    size: 'xs',
    'aria-label': t(`tags.${field}`),
    style: { flex: 1 },
    value: value ?? '',
    disabled: value === undefined,
  } as const;
  return (
    <Group wrap="nowrap" gap="xs">
      <Checkbox
        size="xs"
        label={t(`tags.${field}`)}
        w={130}
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? first : undefined)}
      />
      {field === 'type' ? (
        <NativeSelect
          {...input}
          data={[...typeNames]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <TextInput {...input} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
    </Group>
  );
}
