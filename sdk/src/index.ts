export { Attribute, DataType, ErrorCode, LinkState } from '@tagway/schemas';
export * from './app.ts';
export * from './context.ts';
export * from './driver.ts';
export * from './fault.ts';
export * from './json/index.ts';
export * from './point.ts';
export * from './sample.ts';
export * from './value.ts';
