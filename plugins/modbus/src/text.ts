import type { CharacterPlaces } from '@tagway/words/text';
import type { TextLayout } from './address.ts';

export const characterPlaces: Readonly<Record<TextLayout, CharacterPlaces>> = {
  H: { step: 1, swap: 0 },
  L: { step: 1, swap: 1 },
  D: { step: 2, swap: 1 },
  E: { step: 2, swap: 0 },
};
