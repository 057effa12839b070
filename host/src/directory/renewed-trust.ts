import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../core/access/private-file.ts';
import type { RenewedTrust } from '../core/ports/registries.ts';
import { isNumber, isObject, isText } from '../core/system/shapes.ts';

/** Keeps in a file what was renewed of what verifies packages. */
export class RenewedTrustFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined where nothing was renewed, or the file was damaged: then what comes with the gateway holds. */
  async read(): Promise<RenewedTrust | undefined> {
    try {
      const read: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      return isRenewedTrust(read) ? read : undefined;
    } catch {
      return undefined;
    }
  }

  write(trust: RenewedTrust): Promise<void> {
    return writePrivateFile(this.#path, JSON.stringify(trust));
  }
}

function isRenewedTrust(thing: unknown): thing is RenewedTrust {
  if (!isObject(thing)) return false;
  const { metadata, targets, root, time } = thing;
  const areTexts = (files: unknown): boolean => isObject(files) && Object.values(files).every(isText);
  return areTexts(metadata) && areTexts(targets) && isText(root) && isNumber(time);
}
