export { invalidAddress, unsupportedType, wordAddress, type Address } from './address.ts';
export { blameOf, setBlame, type Blame } from './blame.ts';
export { WordDriver } from './driver.ts';
export type { Step, WriteEntry } from './word-memory.ts';
export { isAdjacent } from './write.ts';
