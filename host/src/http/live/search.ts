import { NodeType, type SearchReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { withQuery, type Endpoints } from '../route.ts';

type Found = SearchReply['tags'][number];

/** Tags that a reply holds at most. */
const shownMost = 20;

/** Searches the tags of all drivers. It looks at each tag once: 50 000 take some ten milliseconds. */
export function searchTags({ nodes }: Gateway, text: string): SearchReply {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const whole = words.join(' ');
  /** By how well the tag's own name fits: it begins with the text, it holds it, or it does not. */
  const ranks: readonly [Found[], Found[], Found[]] = [[], [], []];
  let searched = 0;
  let found = 0;
  if (words.length > 0)
    for (const node of nodes.all()) {
      if (node.plugin.nodeType !== NodeType.DRIVER) continue;
      for (const group of node.groups.values()) {
        const place = `${node.name}\n${group.name}\n`.toLowerCase();
        searched += group.tags.size;
        for (const { name, type, address, description } of group.tags.values()) {
          const own = name.toLowerCase();
          const all = `${place}${own}\n${address.toLowerCase()}\n${description.toLowerCase()}`;
          if (!words.every((word) => all.includes(word))) continue;
          found += 1;
          const rank = ranks[own.startsWith(whole) ? 0 : own.includes(whole) ? 1 : 2];
          if (rank.length < shownMost)
            rank.push({ node: node.name, group: group.name, name, type, address, description });
        }
      }
    }
  return { searched, found, tags: ranks.flat().slice(0, shownMost) };
}

/** Beside the API, because its specification has no such reply. */
export function searchEndpoints(gateway: Gateway): Endpoints {
  return {
    'GET /live/search': withQuery(
      'SearchQuery',
      {
        role: 'viewer',
        summary: 'Searches the tags of all drivers by their names, addresses and descriptions.',
        reply: 'SearchReply',
        onStandby: 'answers',
      },
      ({ text }) => searchTags(gateway, text),
    ),
  };
}
