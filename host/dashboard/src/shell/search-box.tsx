import { IconSearch } from '@tabler/icons-react';
import { includesRole, NodeType, type SearchReply } from '@tagway/schemas';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useHasFleet } from '../api/fleet.ts';
import { useNodes } from '../api/queries.ts';
import { useTagSearch } from '../api/tag-search.ts';
import { useRole } from '../api/use-role.ts';
import { useDemand, useTagValue } from '../live/use-live.ts';
import { Isolated } from '../parts/isolated.tsx';
import { referenceText } from '../values/references.ts';
import { valueText } from '../values/value-text.ts';
import { isInMenu, menuPages } from './menu-pages.ts';
import { recent, rememberSearch } from './recent.ts';
import { findNodes, findPages, hasWords, type SearchEntry } from './search-entries.ts';
import './search-box.css';

type FoundTag = SearchReply['tags'][number];

/** Tags that are shown at first. */
const tagsMost = 8;

/** A field, and below it what has its words: tags of all drivers, nodes, pages and actions. */
export default function SearchBox({ onDone }: { readonly onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const asked = text.trim();
  const { entries, tags, reply } = useEntries(asked);
  useDemand(tags.map(({ node, group, name }) => ({ node, group, tags: [name] })));

  const ask = (next: string): void => {
    setText(next);
    setChosen(0);
  };
  const open = (entry: SearchEntry | undefined): void => {
    if (entry === undefined) return;
    if (entry.kind === 'asked') return ask(entry.to);
    if (asked !== '') rememberSearch(asked);
    onDone();
    void navigate(entry.to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(entries[chosen]);
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    const next = (chosen + step + entries.length) % entries.length;
    setChosen(next);
    document.getElementById(`found-${next}`)?.scrollIntoView({ block: 'nearest' });
  };

  return (
    <div className="search-box">
      <div className="search-asked">
        <IconSearch size={16} aria-hidden />
        <input
          data-autofocus
          value={text}
          role="combobox"
          aria-expanded
          aria-controls="found"
          aria-activedescendant={entries.length > 0 ? `found-${chosen}` : undefined}
          aria-label={t('search.title')}
          placeholder={t('search.title')}
          maxLength={200}
          onChange={(event) => ask(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <kbd aria-hidden>Esc</kbd>
      </div>
      <div id="found" role="listbox" aria-label={t('search.found')} className="search-found">
        {entries.map((entry, index) => (
          <div key={entry.key} role="presentation">
            {entry.kind !== entries[index - 1]?.kind && (
              <div className="search-kind">{t(`search.${entry.kind}`)}</div>
            )}
            <div
              id={`found-${index}`}
              role="option"
              aria-selected={index === chosen}
              className="search-entry"
              onMouseMove={() => setChosen(index)}
              onClick={() => open(entry)}
            >
              <Isolated className="name">{entry.name}</Isolated>
              {entry.place !== undefined && <Isolated className="place">{entry.place}</Isolated>}
              {entry.kind === 'tags' && <Value tag={tags[index]} />}
            </div>
          </div>
        ))}
        {asked !== '' && entries.length === 0 && <div className="search-none">{t('search.none')}</div>}
      </div>
      <div className="search-foot">
        <span>{t('search.keys')}</span>
        {reply !== undefined && asked !== '' && (
          <span role="status">{t('search.count', { found: reply.found, all: reply.searched })}</span>
        )}
      </div>
    </div>
  );
}

function useEntries(asked: string): {
  readonly entries: readonly SearchEntry[];
  readonly tags: readonly FoundTag[];
  readonly reply: SearchReply | undefined;
} {
  const { t } = useTranslation();
  const role = useRole();
  const hasFleet = useHasFleet();
  const drivers = useNodes(NodeType.DRIVER).data ?? [];
  const apps = useNodes(NodeType.APP).data ?? [];
  const { data: reply } = useTagSearch(asked);
  const tags = asked === '' ? [] : (reply?.tags ?? []).slice(0, tagsMost);
  const pages = menuPages.filter((page) => isInMenu(page, role, hasFleet));
  const actions = [
    { key: 'add driver', name: t('nodes.addDriver'), to: '/drivers/add' },
    { key: 'add app', name: t('nodes.addApp'), to: '/apps/add' },
  ].filter(({ name }) => includesRole(role, 'engineer') && hasWords(name, asked));
  const entries: SearchEntry[] = [
    ...(asked === '' ? lastEntries() : []),
    ...tags.map(({ node, group, name }): SearchEntry => ({
      key: `tag ${JSON.stringify([node, group, name])}`,
      kind: 'tags',
      name,
      place: `${node} / ${group}`,
      to: `/live?${new URLSearchParams({ g: referenceText({ node, group }), text: name }).toString()}`,
    })),
    ...findNodes([...drivers, ...apps], asked),
    ...findPages(pages, ({ text }) => t(text), asked),
    ...actions.map((action): SearchEntry => ({ ...action, kind: 'actions' })),
  ];
  return { entries, tags, reply };
}

/** What was looked at and searched for last. */
function lastEntries(): SearchEntry[] {
  const { seen, asked } = recent();
  return [
    ...seen.map((place): SearchEntry => ({ key: `seen ${place.to}`, kind: 'seen', ...place })),
    ...asked.map((text): SearchEntry => ({ key: `asked ${text}`, kind: 'asked', name: text, to: text })),
  ];
}

/** The newest value of a tag that was found. */
function Value({ tag }: { readonly tag: FoundTag | undefined }): ReactElement | null {
  const value = useTagValue(tag?.node ?? '', tag?.group ?? '', tag?.name ?? '');
  if (value === undefined) return null;
  return (
    <span className="value">
      {value.error === undefined ? valueText(value.value, tag?.type ?? 0, 'decimal') : '–'}
    </span>
  );
}
