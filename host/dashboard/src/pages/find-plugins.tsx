import { Alert, Anchor, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import type { DirectorySearchReply } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useMay } from '../api/use-role.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Table } from '../parts/table.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { useSearch } from './plugins/directory.ts';
import { Fit, LookAlike, Trust } from './plugins/marks.tsx';
import { plainText } from './plugins/plain-text.ts';

type Found = DirectorySearchReply['packages'][number];

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Finds plugins by words in the registries. What was searched for is in the address, so that going back leads to the same list. */
export default function FindPlugins(): ReactElement {
  const { t } = useTranslation();
  const mayFind = useMay('engineer');
  const [params, setParams] = useSearchParams();
  const asked = params.get('q');
  const page = Number(params.get('page') ?? 0);
  const prerelease = params.has('prerelease');
  const [text, setText] = useState(asked ?? '');
  const search = useSearch(mayFind && asked !== null ? { text: asked, page, prerelease } : undefined);

  const go = (q: string, to: number, isBefore: boolean): void =>
    setParams({ q, ...(to > 0 && { page: String(to) }), ...(isBefore && { prerelease: '' }) });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    // The same words again are asked again: a registry that was away may be back.
    if (text.trim() === asked && page === 0) void search.refetch();
    else go(text.trim(), 0, prerelease);
  };

  return (
    <Stack>
      <Crumbs steps={[{ to: '/plugins', text: t('nav.plugins') }]} here={t('find.title')} />
      <Title order={2}>{t('find.title')}</Title>
      {mayFind ? (
        <>
          <form onSubmit={submit} role="search">
            <Group align="flex-end">
              <SearchField
                label={t('find.words')}
                value={text}
                onChange={setText}
                style={{ flex: '1 1 240px' }}
              />
              <Button type="submit" loading={search.isFetching}>
                {t('find.search')}
              </Button>
            </Group>
          </form>
          <Text size="xs" c="dimmed">
            {t('find.asks')}
          </Text>
          <Checkbox
            label={t('find.prerelease')}
            checked={prerelease}
            onChange={(event) => go(asked ?? text.trim(), 0, event.currentTarget.checked)}
          />
          <ErrorAlert error={search.error} />
          {search.data !== undefined && search.error === null && <Result reply={search.data} />}
          {(search.error !== null ||
            (search.data?.packages.length === 0 && search.data.notices.length > 0)) && <WithoutNetwork />}
          {search.data !== undefined && search.data.page_count > 1 && (
            <Group>
              <Button
                variant="default"
                disabled={page === 0}
                onClick={() => go(asked ?? '', page - 1, prerelease)}
              >
                {t('find.before')}
              </Button>
              <Text size="sm">{t('find.page', { page: page + 1, count: search.data.page_count })}</Text>
              <Button
                variant="default"
                disabled={page + 1 >= search.data.page_count}
                onClick={() => go(asked ?? '', page + 1, prerelease)}
              >
                {t('find.next')}
              </Button>
            </Group>
          )}
        </>
      ) : (
        <Text>{t('find.mayNot')}</Text>
      )}
    </Stack>
  );
}

function Result({
  reply: { packages, total, notices },
}: {
  readonly reply: DirectorySearchReply;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {notices.map(({ message }) => (
        <Alert key={message} color="yellow" variant="light" role="status">
          {plainText(message)}
        </Alert>
      ))}
      <Text size="sm" role="status">
        {t('find.found', { total })}
      </Text>
      <Table
        rows={packages}
        keyOf={({ package: name }) => name}
        label={t('find.title')}
        height="calc(100vh - 320px)"
        rowHeight={52}
        empty={t('find.none')}
        columns={[
          { key: 'name', title: t('plugins.name'), order: nameOf, cell: (found) => <Name found={found} /> },
          {
            key: 'description',
            title: t('find.description'),
            isFilling: true,
            cell: ({ description }) => <Line text={description} />,
          },
          {
            key: 'fits',
            isLeftOut: true,
            title: t('find.fits'),
            order: ({ fits }) => (fits ? 0 : 1),
            cell: (found) => <Fit {...found} />,
          },
          {
            key: 'kind',
            isLeftOut: true,
            title: t('plugins.kind'),
            order: ({ kind = '' }) => kind,
            cell: ({ kind }) => (kind === undefined ? '–' : t(`plugins.${kind}`)),
          },
          {
            key: 'version',
            isLeftOut: true,
            title: t('plugins.version'),
            order: ({ time = 0 }) => time,
            cell: ({ version, time }) => (
              <Line text={version} below={time === undefined ? '' : dateOf(time)} width={110} />
            ),
          },
          {
            key: 'author',
            isLeftOut: true,
            title: `${t('find.author')} · ${t('find.registry')}`,
            order: authorOf,
            cell: (found) => <Line text={authorOf(found) || '–'} below={found.registry} width={200} />,
          },
          { key: 'trust', isLeftOut: true, title: t('find.trust'), cell: (found) => <Trust {...found} /> },
        ]}
      />
    </>
  );
}

const nameOf = ({ name, package: id }: Found): string => plainText(name ?? id);
const authorOf = ({ author, publisher }: Found): string => plainText(author ?? publisher ?? '');

function Name({ found }: { readonly found: Found }): ReactElement {
  const { t } = useTranslation();
  const { package: id, installed, looks_like: other } = found;
  return (
    <Group gap="xs" wrap="nowrap">
      <div style={{ maxWidth: 240 }}>
        <Anchor component={Link} size="sm" to={`/plugins/find/${encodeURIComponent(id)}`}>
          {nameOf(found)}
        </Anchor>
        {found.name !== undefined && <Below text={plainText(id)} />}
      </div>
      {installed !== undefined && (
        <Text size="xs">{t('find.installed', { version: plainText(installed) })}</Text>
      )}
      {other !== undefined && <LookAlike other={other} />}
    </Group>
  );
}

interface LineProps {
  readonly text: string;
  /** A second line. */
  readonly below?: string;
  readonly width?: number;
}

/** One line of a registry's text, whole in its title. */
function Line({ text, below = '', width }: LineProps): ReactElement {
  const plain = plainText(text);
  return (
    <div style={{ ...(width !== undefined && { maxWidth: width }) }}>
      <Text size="sm" truncate="end" title={plain}>
        {plain}
      </Text>
      {below !== '' && <Below text={plainText(below)} />}
    </div>
  );
}

const Below = ({ text }: { readonly text: string }): ReactElement => (
  <Text size="xs" c="dimmed" truncate="end" title={text}>
    {text}
  </Text>
);

/** What helps where no registry answers: one within the plant, or a file. */
function WithoutNetwork(): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="gray" variant="light" title={t('find.noNetwork')}>
      <Stack gap="xs">
        <Text size="sm">{t('find.mirror')}</Text>
        <Anchor size="sm" href="docs/operate.html#without-a-network" target="_blank">
          {t('find.mirrorGuide')}
        </Anchor>
      </Stack>
    </Alert>
  );
}
