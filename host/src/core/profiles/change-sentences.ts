import { type Sentence, sentence } from '../system/sentence.ts';
import type { Place, ProfileChange } from './profile-update.ts';

/** What a difference is about. */
export function placeText({ group = '', tag, setting }: Place): Sentence {
  if (setting !== undefined) return sentence`the setting "${setting}"`;
  if (tag !== undefined) return sentence`the tag "${tag}" of the group "${group}"`;
  return sentence`the interval of the group "${group}"`;
}

/** What an update does with a difference, or asks about it. */
export function changeText(change: ProfileChange): Sentence {
  const { kind, fields = [] } = change;
  const place = placeText(change);
  switch (kind) {
    case 'add':
      return sentence`The device profile brings ${place}.`;
    case 'change':
      return sentence`The device profile has changed ${place}, and nobody else has: the node gets it.`;
    case 'kept':
      return fields.length === 0
        ? sentence`Somebody has deleted ${place}: it stays away.`
        : sentence`Somebody has changed ${place}, and the device profile has not: it stays as it is.`;
    case 'remove':
      return sentence`The device profile does not have ${place} any more. Somebody has to decide whether it goes.`;
    case 'conflict':
      return fields.every(({ next }) => next === undefined)
        ? sentence`The device profile does not have ${place} any more, and somebody has changed it. Somebody has to decide whether it goes.`
        : sentence`The device profile and somebody else have changed ${place} in different ways. Somebody has to decide which counts.`;
  }
}
