import type { Profile } from '@tagway/schemas';
import type { GroupDraft } from '../transfer/drafts.ts';
import { pointsOf, tagOfPoint } from './model-tags.ts';
import { sampleParameters } from './profile-groups.ts';

/** Registers of a model that has everything. */
const longest = 65_535;

/** For checks without a device: one of each model that a profile knows, as if it were the only one after the first start and marker. */
export function sampleGroups(profile: Profile): GroupDraft[] {
  const { discover } = profile;
  if (discover === undefined) return [];
  const values = sampleParameters(profile);
  const start = (discover.starts[0] ?? 0) + discover.marker.length;
  return discover.models.map((model) => {
    const room = {
      ...model,
      ...(model.repeat && { repeat: { ...model.repeat, most: Math.min(model.repeat.most, 2) } }),
    };
    return {
      name: model.name,
      interval: model.interval,
      tags: pointsOf(discover, room, longest).map((point) => tagOfPoint(discover, values, start, point)),
    };
  });
}
