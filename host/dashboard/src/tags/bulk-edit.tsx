import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import type { TagInput, TagRecord } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import type { TagRules } from '../api/tag-rules.ts';
import { Trouble } from '../shell/trouble.tsx';
import { typeNames } from '../values/data-types.ts';
import { tagProblems } from './tag-problems.ts';
import { tagFrom, textOf, type TagText } from './tag-text.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tags: readonly TagRecord[];
  readonly rules: TagRules;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const fields = ['type', 'attribute', 'decimal', 'bias', 'precision', 'description'] as const;

/** Changes some fields of many tags in one request, after it has shown what becomes of them. */
export function BulkEdit({ node, group, tags, rules, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const [changes, setChanges] = useState<Partial<Record<keyof TagText, string>>>({});
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  const changed = tags.map((tag) => {
    const before = textOf(tag);
    const address = find === '' ? before.address : before.address.replaceAll(find, replace);
    const after: TagText = { ...before, address, ...changes };
    const { tag: input, problems } = tagFrom(after);
    return { before, after, input, problem: [...problems, ...tagProblems(input, rules)][0] };
  });
  const affected = changed.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  const bad = changed.filter(({ problem }) => problem !== undefined);

  async function apply(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const inputs: TagInput[] = affected.map(({ input }) => input);
      await call('PUT', 'api/v2/tags', { body: { node, group, tags: inputs } });
      onDone();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      size="lg"
      title={t('tags.bulkTitle', { count: tags.length })}
    >
      <Stack gap="sm">
        <Text size="sm">{t('tags.bulkHint')}</Text>
        {fields.map((field) => {
          const isOn = changes[field] !== undefined;
          const set = (value: string | undefined): void =>
            setChanges(({ [field]: _, ...others }) =>
              value === undefined ? others : { ...others, [field]: value },
            );
          return (
            <Group key={field} wrap="nowrap">
              <Checkbox
                label={t(`tags.${field}`)}
                w={150}
                checked={isOn}
                onChange={(event) =>
                  set(
                    event.currentTarget.checked
                      ? tags[0] === undefined
                        ? ''
                        : textOf(tags[0])[field]
                      : undefined,
                  )
                }
              />
              {field === 'type' ? (
                <NativeSelect
                  aria-label={t('tags.type')}
                  data={[...typeNames]}
                  value={changes.type ?? ''}
                  disabled={!isOn}
                  onChange={(event) => set(event.currentTarget.value)}
                />
              ) : (
                <TextInput
                  aria-label={t(`tags.${field}`)}
                  value={changes[field] ?? ''}
                  disabled={!isOn}
                  style={{ flex: 1 }}
                  onChange={(event) => set(event.currentTarget.value)}
                />
              )}
            </Group>
          );
        })}
        <Group grow>
          <TextInput
            label={t('tags.findInAddress')}
            value={find}
            onChange={(event) => setFind(event.currentTarget.value)}
          />
          <TextInput
            label={t('tags.replaceBy')}
            value={replace}
            onChange={(event) => setReplace(event.currentTarget.value)}
          />
        </Group>
        <Preview rows={affected.slice(0, 4)} />
        {bad[0]?.problem !== undefined && (
          <Alert color="red" role="alert">
            {t('tags.bulkBad', {
              count: bad.length,
              tag: bad[0].before.name,
              field: bad[0].problem.field,
              rule: t(`tags.rule.${bad[0].problem.rule}`, { limit: bad[0].problem.limit }),
            })}
          </Alert>
        )}
        <Trouble error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <Button
            loading={isBusy}
            disabled={affected.length === 0 || bad.length > 0}
            onClick={() => void apply()}
          >
            {t('tags.bulkApply', { count: affected.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Preview({
  rows,
}: {
  readonly rows: readonly { readonly before: TagText; readonly after: TagText }[];
}): ReactElement | null {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  const shown = (text: TagText): string =>
    [text.address, text.type, text.attribute, text.decimal, text.bias, text.precision, text.description].join(
      ' · ',
    );
  return (
    <Table fz="xs" aria-label={t('tags.preview')}>
      <Table.Tbody>
        {rows.map(({ before, after }) => (
          <Table.Tr key={before.name}>
            <Table.Td>{before.name}</Table.Td>
            <Table.Td>
              <s>{shown(before)}</s>
              <br />
              {shown(after)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
