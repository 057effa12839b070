import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DataType, formatReference, referencesIn } from '@tagway/sdk';
import type { InputSetting } from '@tagway/testkit';
import { Calculations } from './fixture.ts';

const { BIT, BOOL, DOUBLE, FLOAT, INT16, INT64, STRING, UINT16 } = DataType;

/** The addresses in the page of recipes, in order. */
const recipes = Array.from(
  readFileSync(new URL('../../../docs/calculations.md', import.meta.url), 'utf8').matchAll(
    /```cel\n([^`]*)\n```/g,
  ),
  ([, address = '']) => address,
);

/** Of each recipe: the type of the tag, values of its inputs a second apart in their order there, and what comes at last. */
const played: readonly (readonly [
  type: DataType,
  samples: readonly (readonly (readonly [DataType, InputSetting])[])[],
  result: unknown,
])[] = [
  [DOUBLE, [[[INT16, 13_824]]], 5],
  [DOUBLE, [[[FLOAT, 7_200_000]], [[FLOAT, 7_200_000]]], 2],
  [
    DOUBLE,
    [
      [
        [FLOAT, 7_200_000],
        [BIT, false],
      ],
      [
        [FLOAT, 7_200_000],
        [BIT, true],
      ],
    ],
    0,
  ],
  [DOUBLE, [[[INT64, 10n]], [[INT64, 12n]], [[INT64, 16n]]], 3 * 3600],
  [DOUBLE, [[[BOOL, true]], [[BOOL, true]], [[BOOL, false]]], 2 / 3600],
  [INT16, [[[BIT, false]], [[BIT, true]], [[BIT, false]], [[BIT, true]]], 2],
  [BIT, [[[FLOAT, 81]], [[FLOAT, 76]]], 1],
  [BIT, Array.from({ length: 31 }, () => [[BIT, true] as const, [BOOL, true] as const]), 1],
  [
    FLOAT,
    [
      [
        [FLOAT, 20.5],
        [FLOAT, 21],
      ],
    ],
    20.5,
  ],
  [BIT, [[[UINT16, 9]]], 1],
  [STRING, [[[UINT16, 9]]], 'motor protection'],
];

describe('The recipes in docs/calculations.md', () => {
  it('are all here', () => {
    expect(recipes).to.have.length(played.length);
  });

  for (const [index, [type, samples, result]] of played.entries())
    it(`${recipes[index]} gives ${String(result)}`, async () => {
      const address = recipes[index]!;
      const references = [
        ...new Set(
          referencesIn(address).flatMap(({ reference }) => (reference ? [formatReference(reference)] : [])),
        ),
      ];
      const calculations = await Calculations.start();
      calculations.group([[1, address, type]]);
      for (const sample of samples)
        await calculations.arrive(
          Object.fromEntries<InputSetting>(
            sample.map(([inputType, value], place): [string, InputSetting] => [
              references[place]!,
              { value: value as number, type: inputType },
            ]),
          ),
        );
      expect(calculations.last.outcomes.get(0)).to.equal(result);
    });
});
