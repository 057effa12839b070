export { BodyTemplate, BoundBody } from './body.ts';
export { PlaceTemplate } from './place.ts';
export type { Placeholder, Placeholders } from './names.ts';
export { parseTemplate, type Part } from './parse.ts';
