import { formatReference } from '@tagway/schemas';

/** A name as a part of a reference has it. */
function encoded(name: string): string {
  return formatReference({ node: name, group: '', tag: '' }).slice(0, -2);
}

/** The text by which a tag, a group or a driver is known: the names with slashes between them. */
export function referenceOf(...names: readonly string[]): string {
  return names.map(encoded).join('/');
}

/** The text by which a folder of a path is known. It begins with a slash, as no reference does. */
export function folderReference(...folders: readonly string[]): string {
  return `/${referenceOf(...folders)}`;
}
