/** The least of a JSON Schema that says which members an object may have. */
interface Shape {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
  readonly items?: Shape;
}

/** The schema that a reference leads to. */
export type Resolve = (reference: string) => object;

/**
 * Where an object, or one within it, has members of which its schema says nothing, such as `tags[3].adress`: the first `most`,
 * which ends the search. An object whose schema lists no properties, or lets others stand beside them, may have any.
 */
export function unknownMembers(schema: object, value: unknown, resolve: Resolve, most: number): string[] {
  const found: string[] = [];
  const look = (given: Shape, at: unknown, place: string): void => {
    if (typeof at !== 'object' || at === null || found.length >= most) return;
    const shape = given.$ref === undefined ? given : (resolve(given.$ref) as Shape);
    if (Array.isArray(at)) {
      if (shape.items === undefined) return;
      for (let index = 0; index < at.length && found.length < most; index++)
        look(shape.items, at[index], `${place}[${index}]`);
      return;
    }
    const { properties, additionalProperties } = shape;
    if (properties === undefined || additionalProperties !== undefined) return;
    for (const [name, member] of Object.entries(at)) {
      const path = place === '' ? name : `${place}.${name}`;
      if (Object.hasOwn(properties, name)) look(properties[name] ?? {}, member, path);
      else if (found.length < most) found.push(path);
    }
  };
  look(schema, value, '');
  return found;
}
