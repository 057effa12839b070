import { Attribute, DataType, type Point } from '@tagway/sdk';

/** Points from pairs of address and type; INT16 when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  const attribute = Attribute.READ | Attribute.WRITE;
  return Object.freeze(
    tags.map((tag, index) => {
      const [address, type] = typeof tag === 'string' ? [tag, DataType.INT16] : tag;
      return { name: `tag${index}`, address, type, attribute };
    }),
  );
}
