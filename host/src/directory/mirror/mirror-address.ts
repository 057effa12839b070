import type { Registry } from '@tagway/schemas';
import { mirrorIndexFile } from '../../core/directory/mirror-format.ts';

/** A mirror is named by its folder on this machine, or by the address of its index at a web server. */
export function isMirror({ url }: Registry): boolean {
  return url.startsWith('file:') || url.endsWith(`/${mirrorIndexFile}`);
}

/** The address of the folder, with a slash at its end. */
export function folderOf({ url }: Registry): string {
  const folder = url.endsWith(`/${mirrorIndexFile}`) ? url.slice(0, -mirrorIndexFile.length) : url;
  return folder.endsWith('/') ? folder : `${folder}/`;
}
