export { WordDriver } from './driver.ts';
export { checkWrite, invalidAddress, placeOf, unsupportedType, type Place } from './place.ts';
export type { WordMemory } from './read.ts';
export { isAdjacent, type Step, type WriteEntry, type WritableMemory } from './write.ts';
