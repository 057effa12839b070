export { parseJson, stringifyJson } from './parse.ts';
export { jsonOf } from './value.ts';
export { SampleWriter, writerOf } from './writer.ts';
export type { PayloadOptions } from './writer.ts';
