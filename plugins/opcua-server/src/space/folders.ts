import type { Namespace, UAObject, UAVariable } from 'node-opcua-address-space';
import { DataType } from 'node-opcua-variant';

/** A folder that tags, or other folders, are in. */
export interface Folder {
  readonly node: UAObject;
  readonly parent: Folder | undefined;
  readonly reference: string;
  /** Tags and folders in it. */
  members: number;
}

/** The folders below the one of the gateway. A folder is there as long as something is in it. */
export class Folders {
  readonly #namespace: Namespace;
  readonly #root: Folder;
  readonly #folders = new Map<string, Folder>();

  constructor(namespace: Namespace, root: UAObject) {
    this.#namespace = namespace;
    this.#root = { node: root, parent: undefined, reference: '', members: 1 };
  }

  /** The folder at the end of a chain of folders, each made when it is not there. `made` is called with those. */
  open(
    chain: readonly { readonly reference: string; readonly name: string }[],
    made: (folder: Folder) => void,
  ): Folder {
    let parent = this.#root;
    for (const { reference, name } of chain) {
      let folder = this.#folders.get(reference);
      if (folder === undefined) {
        const node = this.#namespace.addFolder(parent.node, {
          browseName: { name, namespaceIndex: this.#namespace.index },
          displayName: name,
          nodeId: `s=${reference}`,
          nodeVersion: '1',
        } as Parameters<Namespace['addFolder']>[1]);
        folder = { node, parent, reference, members: 0 };
        parent.members++;
        this.#folders.set(reference, folder);
        made(folder);
      }
      parent = folder;
    }
    return parent;
  }

  /** Something was taken out of a folder. Deletes it when nothing else is in it, and those above likewise, calling `deleted` before. */
  leave(folder: Folder, deleted: (folder: Folder) => void): void {
    folder.members--;
    if (folder.members > 0 || folder.parent === undefined) return;
    deleted(folder);
    this.#folders.delete(folder.reference);
    this.#namespace.deleteNode(folder.node);
    this.leave(folder.parent, deleted);
  }
}

/** Raises the version of a folder, which clients compare. */
export function raiseVersion({ node }: Folder): void {
  const version = node.getChildByName('NodeVersion') as UAVariable | null;
  const now = Number(version?.readValue().value.value ?? 0) + 1;
  version?.setValueFromSource({ dataType: DataType.String, value: String(now) });
}
