import { parseReference, type ReferencesReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { saidBy, sentence } from '../../core/system/sentence.ts';
import { bare, withBody, type Endpoints } from '../route.ts';

type Problems = ReferencesReply['read'];

function problemsOf(gateway: Gateway, texts: readonly string[], role: 'read' | 'write'): Problems {
  return texts.flatMap((text, index) => {
    const reference = parseReference(text);
    const problem =
      reference === undefined
        ? sentence`"${text}" names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name`
        : gateway.problemOf(reference, role);
    return problem === undefined ? [] : [{ index, ...saidBy(problem) }];
  });
}

/** How the page names tags, and what it asks about those that tables name. They stand beside the API, because its specification has none. */
export function nameEndpoints(gateway: Gateway): Endpoints {
  return {
    'POST /live/references': withBody(
      'ReferencesBody',
      {
        role: 'viewer',
        summary: 'Says which references lead to no tag that can be read, or written, and why.',
        audit: 'nothing',
        reply: 'ReferencesReply',
        onStandby: 'answers',
      },
      ({ read = [], write = [] }): ReferencesReply => ({
        read: problemsOf(gateway, read, 'read'),
        write: problemsOf(gateway, write, 'write'),
      }),
    ),

    'GET /live/separator': bare(
      {
        role: 'viewer',
        summary: 'Says where the page cuts names to make a tree of the tags.',
        reply: 'NameSeparator',
        onStandby: 'answers',
      },
      () => ({ separator: gateway.nameSeparator.text }),
    ),

    'PUT /live/separator': withBody(
      'NameSeparator',
      {
        role: 'engineer',
        summary: 'Sets where the page cuts names to make a tree of the tags, for everybody.',
        audit: ({ separator }) =>
          separator === ''
            ? 'has names no longer cut in the tree of tags'
            : `has names cut at "${separator}" in the tree of tags`,
      },
      ({ separator }) => gateway.nameSeparator.set(separator),
    ),
  };
}
