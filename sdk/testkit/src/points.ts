import { Attribute, DataType, type Point } from '@tagway/sdk';

/** Returns a function that makes points from pairs of address and type, or from an address alone with the type `usual`. */
export function pointsWith(
  usual: DataType,
  attribute: number,
): (...tags: readonly (string | readonly [string, DataType])[]) => readonly Point[] {
  return (...tags) =>
    Object.freeze(
      tags.map((tag, index) => {
        const [address, type] = typeof tag === 'string' ? [tag, usual] : tag;
        return { name: `tag${index}`, address, type, attribute };
      }),
    );
}

/** Points that are read and written, from pairs of address and type; INT16 when the type is left out. */
export const pointsOf = pointsWith(DataType.INT16, Attribute.READ | Attribute.WRITE);
