export { archiveLimits } from './archive-limits.ts';
export * from './data-types.ts';
export * from './enumerations.ts';
export * from './errors.ts';
export * from './dialects.ts';
export * from './references.ts';
export * from './settings.ts';
export type * from './generated/api.ts';
export type * from './generated/plugin.ts';
