export { parseJson, stringifyJson } from './parse.ts';
export { SampleWriter, writerOf } from './writer.ts';
export type { PayloadOptions, RecordOptions } from './writer.ts';
export { ValueWriter, valueWriterOf } from './value-writer.ts';
