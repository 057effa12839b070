export { checkWrite, invalidAddress, placeOf, unsupportedType, type Place } from './place.ts';
export { WordReader, type WordMemory } from './read.ts';
export { isAdjacent, writeAll, type Step, type WriteEntry, type WritableMemory } from './write.ts';
