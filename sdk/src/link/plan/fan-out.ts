/**
 * Sorts things by a key, such as the points of a group by their unit: each key with the indices of its things, in the order of the first.
 * @experimental May change until more drivers have used it.
 */
export function fanOut<T, Key>(
  things: readonly T[],
  keyOf: (thing: T, index: number) => Key,
): Map<Key, number[]> {
  return Map.groupBy(things.keys(), (index) => keyOf(things[index] as T, index));
}
