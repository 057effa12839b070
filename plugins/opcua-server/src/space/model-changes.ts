import type { AddressSpace, UAObject } from 'node-opcua-address-space';
import type { NodeId } from 'node-opcua-nodeid';
import { ModelChangeStructureDataType } from 'node-opcua-types';
import { DataType, VariantArrayType } from 'node-opcua-variant';
import { type Folder, raiseVersion } from './folders.ts';

/** Verbs of a change (OPC 10000-3, 9.32.3). */
const Verb = { NODE_ADDED: 1, NODE_DELETED: 2, REFERENCE_ADDED: 4, REFERENCE_DELETED: 8 } as const;

/** Changes of nodes that one event names. When there are more it names the folders that they are in alone. */
const nodesMost = 1000;

interface Change {
  readonly affected: NodeId;
  readonly verb: number;
}

/** Collects what changes in the address space and reports it to clients in one event. */
export class ModelChanges {
  readonly #space: AddressSpace;
  #nodes: Change[] = [];
  #nodeCount = 0;
  #folders = new Map<Folder, number>();

  constructor(space: AddressSpace) {
    this.#space = space;
  }

  added(nodeId: NodeId, folder: Folder): void {
    this.#note(nodeId, Verb.NODE_ADDED, folder, Verb.REFERENCE_ADDED);
  }

  deleted(nodeId: NodeId, folder: Folder): void {
    this.#note(nodeId, Verb.NODE_DELETED, folder, Verb.REFERENCE_DELETED);
  }

  /** Raises the event, if anything has changed since the last one. */
  report(): void {
    if (this.#nodeCount === 0) return;
    const folders: Change[] = [];
    for (const [folder, verb] of this.#folders) {
      // A folder that is gone itself is among the nodes; another one may be in its place.
      if (this.#space.findNode(folder.node.nodeId) !== folder.node) continue;
      raiseVersion(folder);
      folders.push({ affected: folder.node.nodeId, verb });
    }
    const changes = this.#nodeCount > nodesMost ? folders : [...this.#nodes, ...folders];
    this.#nodes = [];
    this.#nodeCount = 0;
    this.#folders = new Map();
    const server = this.#space.rootFolder.objects.server as unknown as Pick<UAObject, 'raiseEvent'>;
    server.raiseEvent('GeneralModelChangeEventType', {
      changes: {
        dataType: DataType.ExtensionObject,
        arrayType: VariantArrayType.Array,
        value: changes.map((change) => new ModelChangeStructureDataType(change)),
      },
    });
  }

  #note(affected: NodeId, verb: number, folder: Folder, folderVerb: number): void {
    this.#nodeCount++;
    if (this.#nodes.length < nodesMost) this.#nodes.push({ affected, verb });
    this.#folders.set(folder, (this.#folders.get(folder) ?? 0) | folderVerb);
  }
}
