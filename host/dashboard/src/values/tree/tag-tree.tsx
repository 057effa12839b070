import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';
import { useMay } from '../../api/use-role.ts';
import { useWant } from '../../live/use-live.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { addTexts } from '../../texts/index.ts';
import * as texts from '../../texts/tree.ts';
import { demandOf } from '../live-row.ts';
import { referenceText } from '../references.ts';
import { TreeList } from './tree-list.tsx';
import type { TreeRow } from './tree-rows.ts';
import { useSeparator } from './use-separator.ts';
import { useTagTree } from './use-tag-tree.ts';

addTexts(texts);

/** All tags as a tree that their names make, with the values of those in sight. */
export default function TagTree(): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState(params.get('text') ?? '');
  const [asked] = useDebouncedValue(text.trim(), 150);
  const separator = useSeparator();
  const mayCut = useMay('engineer');
  const tree = useTagTree(separator.text, asked);
  useEffect(() => {
    setParams({ view: 'tree', ...(asked !== '' && { text: asked }) }, { replace: true });
  }, [asked, setParams]);
  const want = useWant();
  const onVisible = useCallback((rows: readonly TreeRow[]) => want(demandOf(rows.flatMap(liveRow))), [want]);

  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <SearchField label={t('tree.filter')} value={text} onChange={setText} style={{ flex: '1 1 200px' }} />
        <TextInput
          label={t('tree.separator')}
          title={t('tree.separatorHelp')}
          value={separator.text}
          maxLength={3}
          w={150}
          readOnly={!mayCut}
          onChange={(event) => separator.set(event.currentTarget.value)}
        />
      </Group>
      <ErrorAlert error={tree.error ?? separator.error} />
      {tree.found !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {t(tree.found.shown < tree.found.found ? 'tree.shown' : 'tree.found', tree.found)}
        </Text>
      )}
      <TreeList
        rows={tree.rows}
        base="decimal"
        empty={t(asked === '' ? 'tree.none' : 'tree.nothing')}
        onToggle={tree.toggle}
        onChoose={({ branch: { tag }, group }) => {
          if (tag === undefined || group === undefined) return;
          const address = new URLSearchParams({ g: referenceText(group), text: tag.name });
          void navigate(`/live?${address.toString()}`);
        }}
        onVisible={onVisible}
      />
    </Stack>
  );
}

function liveRow({ branch: { key, tag }, group }: TreeRow) {
  return tag === undefined || group === undefined
    ? []
    : [{ key, reference: referenceText(group), ...group, tag }];
}
