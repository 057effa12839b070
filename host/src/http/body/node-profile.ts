import type { NodeProfile as NodeProfileBody } from '@tagway/schemas';
import type { NodeProfile } from '../../core/model.ts';
import { tagOf, tagRecord } from '../../core/records/records.ts';
import { tagBody } from './tag-body.ts';

/** What a node remembers of its profile, as an import brings it. */
export function nodeProfileOf({ groups, ...rest }: NodeProfileBody): NodeProfile {
  return {
    ...rest,
    groups: groups.map(({ name, interval, tags }) => ({
      name,
      interval,
      tags: tags.map((tag) => tagRecord(tagOf(0, tagBody(tag)))),
    })),
  };
}

/** As an export has it. */
export function profileReply(profile: NodeProfile): NodeProfileBody {
  return profile as NodeProfileBody;
}
