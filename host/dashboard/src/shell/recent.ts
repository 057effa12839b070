import { session } from '../api/session.ts';
import { referenceFrom } from '../values/references.ts';

/** A place of the page that was looked at. */
export interface SeenPlace {
  readonly name: string;
  /** Where it is, in grey. */
  readonly place?: string;
  readonly to: string;
}

interface Recent {
  readonly seen: readonly SeenPlace[];
  readonly asked: readonly string[];
}

const most = { seen: 6, asked: 4 };

/** Names of nodes are not for the next user of the browser. */
const storageKey = (): string => `tagway.recent.${session.get()?.user ?? ''}`;

/** What this user looked at and searched for last, the latest first. It is kept in the browser. */
export function recent(): Recent {
  try {
    const { seen = [], asked = [] } = JSON.parse(
      localStorage.getItem(storageKey()) ?? '{}',
    ) as Partial<Recent>;
    return { seen, asked };
  } catch {
    return { seen: [], asked: [] };
  }
}

/** Remembers the address of a page when it is one of a node, a group or live values. */
export function rememberPlace(pathname: string, search: string): void {
  const place = placeOf(pathname, search);
  if (place === undefined) return;
  const { seen, asked } = recent();
  const others = seen.filter(({ to }) => to !== place.to);
  save({ seen: [place, ...others].slice(0, most.seen), asked });
}

/** Remembers a text that has led somewhere. */
export function rememberSearch(text: string): void {
  const { seen, asked } = recent();
  save({ seen, asked: [text, ...asked.filter((one) => one !== text)].slice(0, most.asked) });
}

function save(next: Recent): void {
  try {
    localStorage.setItem(storageKey(), JSON.stringify(next));
  } catch {
    // The browser keeps nothing: then nothing is remembered.
  }
}

function placeOf(pathname: string, search: string): SeenPlace | undefined {
  const [, first, node, third, group] = pathname.split('/').map(decoded);
  if (first === 'live') {
    const shown = new URLSearchParams(search).getAll('g');
    const groups = shown.flatMap(referenceFrom);
    if (groups.length === 0) return undefined;
    const to = `/live?${new URLSearchParams(shown.map((one): [string, string] => ['g', one])).toString()}`;
    return {
      name: groups.map((one) => one.group).join(', '),
      place: [...new Set(groups.map((one) => one.node))].join(', '),
      to,
    };
  }
  if (first !== 'nodes' || node === undefined || node === '') return undefined;
  const own = `/nodes/${encodeURIComponent(node)}`;
  if (third === 'groups' && group !== undefined)
    return { name: group, place: node, to: `${own}/groups/${encodeURIComponent(group)}` };
  return { name: node, to: own };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
