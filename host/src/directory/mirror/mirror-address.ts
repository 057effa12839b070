import type { Registry } from '@tagway/schemas';

/** The file that lists what is in the folder of a mirror. */
export const indexFile = 'tagway-mirror.json';

/** A mirror is named by its folder on this machine, or by the address of its index at a web server. */
export function isMirror({ url }: Registry): boolean {
  return url.startsWith('file:') || url.endsWith(`/${indexFile}`);
}

/** The address of the folder, with a slash at its end. */
export function folderOf({ url }: Registry): string {
  const folder = url.endsWith(`/${indexFile}`) ? url.slice(0, -indexFile.length) : url;
  return folder.endsWith('/') ? folder : `${folder}/`;
}
