import type { GivenGroup, NodeProfile, Params } from '../model.ts';
import type { InstalledProfile } from '../ports/profiles.ts';
import { tagOf, tagRecord } from '../records/records.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import type { Parameters } from './profile-groups.ts';

/** What a node remembers of the profile that it is made of. */
export function nodeProfile(
  { profile: { id, version }, origin }: Pick<InstalledProfile, 'profile' | 'origin'>,
  parameters: Parameters,
  settings: Params,
  groups: readonly GroupDraft[],
): NodeProfile {
  return {
    id,
    version,
    ...(origin && { package: origin.package }),
    parameters,
    settings,
    groups: givenGroups(groups),
  };
}

/** Groups as they are remembered: without what has its default. */
function givenGroups(groups: readonly GroupDraft[]): GivenGroup[] {
  return groups.map(({ name, interval, tags }) => ({
    name,
    interval,
    tags: tags.map((tag) => tagRecord(tagOf(0, tag))),
  }));
}
