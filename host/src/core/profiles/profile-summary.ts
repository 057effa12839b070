import type { Profile } from '@tagway/schemas';
import type { InstalledProfile, ProfileSummary } from '../ports/profiles.ts';
import { tagsIn } from './profile-rules.ts';

/** What a list shows of a profile. */
export function summaryOf(
  profile: Profile,
  { isSystem, origin }: Pick<InstalledProfile, 'isSystem' | 'origin'>,
): ProfileSummary {
  const { id, version, name, maker, description, devices, firmware, document, tried, discover } = profile;
  return {
    id,
    version,
    name,
    description,
    devices,
    document,
    isSystem,
    ...(maker !== undefined && { maker }),
    ...(firmware !== undefined && { firmware }),
    ...(tried !== undefined && { tried }),
    plugins: profile.plugins.map((plugin) => plugin.id),
    tags: tagsIn(profile),
    discovers: discover !== undefined,
    ...(origin && { origin }),
  };
}
