import type { Permutation } from '@tagway/plc-words/numbers';

/** Orders of the bytes of a value on the wire: suffixes of tag addresses and numbers of the settings name the same ones. */

export const straight: Readonly<Record<2 | 4 | 8, Permutation>> = {
  2: [0, 1],
  4: [0, 1, 2, 3],
  8: [0, 1, 2, 3, 4, 5, 6, 7],
};

const suffixes: Readonly<Record<2 | 4 | 8, Readonly<Record<string, Permutation>>>> = {
  2: { L: straight[2], B: [1, 0] },
  4: { LL: straight[4], LB: [1, 0, 3, 2], BL: [2, 3, 0, 1], BB: [3, 2, 1, 0] },
  8: {
    L: straight[8],
    LL: straight[8],
    LB: [1, 0, 3, 2, 5, 4, 7, 6],
    BL: [6, 7, 4, 5, 2, 3, 0, 1],
    B: [7, 6, 5, 4, 3, 2, 1, 0],
    BB: [7, 6, 5, 4, 3, 2, 1, 0],
    WS: [2, 3, 0, 1, 6, 7, 4, 5],
    WR: [4, 5, 6, 7, 0, 1, 2, 3],
  },
};

/** The order that an address suffix names for values of `width` bytes, or undefined when there is none of that name. */
export function orderOfSuffix(width: 2 | 4 | 8, suffix: string): Permutation | undefined {
  return suffixes[width][suffix];
}

/** Settings `endianess` and `endianess_64`: the suffix that means the same, by the setting's number. */
const settingSuffixes: Readonly<Record<4 | 8, readonly string[]>> = {
  4: ['', 'LL', 'LB', 'BB', 'BL'],
  8: ['', 'LL', 'LB', 'BB', 'BL', 'WS', 'WR'],
};

/** The order that the node's setting asks for; a number that is not in the table means no reordering. */
export function orderOfSetting(width: 4 | 8, setting: number): Permutation {
  return suffixes[width][settingSuffixes[width][setting] ?? ''] ?? straight[width];
}
