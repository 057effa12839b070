export { BodyTemplate, BoundBody } from './body.ts';
export { PlaceTemplate } from './place.ts';
