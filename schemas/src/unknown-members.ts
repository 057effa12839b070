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
  const shapes = new Map<string, Shape>();
  const shapeOf = (given: Shape): Shape => {
    if (given.$ref === undefined) return given;
    let shape = shapes.get(given.$ref);
    if (shape === undefined) shapes.set(given.$ref, (shape = resolve(given.$ref)));
    return shape;
  };
  /** `place` is made of names and indices, and written out only for what is found: bodies have very many members. */
  const place: (string | number)[] = [];
  const look = (given: Shape, at: object): void => {
    const { properties, additionalProperties, items } = shapeOf(given);
    if (Array.isArray(at)) {
      if (items === undefined) return;
      for (let index = 0; index < at.length && found.length < most; index++)
        lookInto(items, at[index], index);
      return;
    }
    if (properties === undefined || additionalProperties !== undefined) return;
    for (const name in at) {
      if (found.length >= most) return;
      if (Object.hasOwn(properties, name))
        lookInto(properties[name] ?? {}, (at as Readonly<Record<string, unknown>>)[name], name);
      else found.push(written([...place, name]));
    }
  };
  const lookInto = (given: Shape, member: unknown, name: string | number): void => {
    if (typeof member !== 'object' || member === null) return;
    place.push(name);
    look(given, member);
    place.pop();
  };
  if (typeof value === 'object' && value !== null) look(schema, value);
  return found;
}

/** Such as `tags[3].adress`. */
function written(place: readonly (string | number)[]): string {
  return place
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}
