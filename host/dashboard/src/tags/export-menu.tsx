import { Button, Menu } from '@mantine/core';
import type { GroupRecord, TagsReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { download } from '../parts/download.ts';
import { useAction } from '../parts/use-action.ts';
import { paceOf } from './group-pace.ts';
import { fileOf } from './table-file.ts';
import { tableOf } from './tag-file.ts';

interface Props {
  readonly node: string;
  readonly groups: readonly GroupRecord[];
}

/** Exports the tags of groups to a file that can be imported again. */
export function ExportMenu({ node, groups }: Props): ReactElement {
  const { t } = useTranslation();
  const { isBusy, run } = useAction();
  const count = groups.reduce((sum, { tag_count: tags }) => sum + tags, 0);
  const write = async (kind: 'csv' | 'xlsx'): Promise<void> => {
    const full = [];
    for (const { name, interval, ...rest } of groups) {
      const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group: name } });
      full.push({ name, interval, ...paceOf(rest), tags });
    }
    const table = tableOf(full);
    const name = `${node} tags.${kind}`.replace(/[/\\:*?"<>|]/g, '_');
    download(name, await fileOf(kind, table));
  };
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" loading={isBusy} disabled={groups.length === 0}>
          {t('tags.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void run(() => write('csv'), t('tags.exported', { count }))}>CSV</Menu.Item>
        <Menu.Item onClick={() => void run(() => write('xlsx'), t('tags.exported', { count }))}>
          XLSX
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
