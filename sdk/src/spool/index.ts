export { Spool } from './spool.ts';
export type { SpoolOptions } from './spool.ts';
export type { SpoolRecord } from './record.ts';
