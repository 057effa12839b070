import type { AddressSpace, Namespace } from 'node-opcua-address-space';
import { NodeClass, QualifiedName } from 'node-opcua-data-model';
import { NodeId, NodeIdType, resolveNodeId } from 'node-opcua-nodeid';
import type { DataType } from 'node-opcua-variant';
import type { Folder } from './folders.ts';
import { keepFewListeners } from './listeners.ts';
import { accessLevelOf, type Shape, type ValueNode } from './variable.ts';

/** References that have their final form, which the library keeps as they are. */
type References = readonly object[];

/** What of the library is not in its types. */
interface Making {
  internalCreateNode(options: object): ValueNode & { propagate_back_references(): void };
}
interface Normalizing {
  normalizeReferenceTypes(references: readonly object[]): References;
}

export interface NewTag extends Shape {
  readonly reference: string;
  readonly browseName: string;
  readonly description: string;
  readonly folder: Folder;
}

/**
 * Makes the variables of tags, of which there may be tens of thousands. The library's own `addVariable` makes two references for each and
 * a property of the folder that leads to it, which nothing here reads: a third of the memory of a variable. Variables share what is the same.
 */
export class TagNodes {
  readonly #namespace: Namespace;
  readonly #space: Normalizing;
  readonly #references = new WeakMap<Folder, References>();
  readonly #types = new Map<DataType, NodeId>();
  readonly #configuration: NodeId;
  #toHistory: References | undefined;

  /** `configuration`: how the histories of tags are kept. */
  constructor(space: AddressSpace, namespace: Namespace, configuration: NodeId) {
    this.#configuration = configuration;
    this.#namespace = namespace;
    this.#space = space as unknown as Normalizing;
  }

  make({ reference, browseName, description, folder, ...shape }: NewTag): ValueNode {
    const { index } = this.#namespace;
    const accessLevel = accessLevelOf(shape);
    const node = (this.#namespace as unknown as Making).internalCreateNode({
      nodeClass: NodeClass.Variable,
      nodeId: new NodeId(NodeIdType.STRING, reference, index),
      browseName: new QualifiedName({ name: browseName, namespaceIndex: index }),
      displayName: browseName,
      references: [...this.#referencesIn(folder), ...(shape.hasHistory ? this.#history() : [])],
      dataType: this.#typeId(shape.type),
      valueRank: -1,
      minimumSamplingInterval: 0,
      accessLevel,
      userAccessLevel: accessLevel,
      historizing: shape.hasHistory,
      ...(description !== '' && { description }),
    });
    keepFewListeners(node);
    // The folder has to know its variable.
    node.propagate_back_references();
    return node;
  }

  /** To the type of variables, and to the folder. */
  #referencesIn(folder: Folder): References {
    let found = this.#references.get(folder);
    if (found === undefined) {
      found = this.#space.normalizeReferenceTypes([
        {
          referenceType: 'HasTypeDefinition',
          isForward: true,
          nodeId: resolveNodeId('BaseDataVariableType'),
        },
        { referenceType: 'HasComponent', isForward: false, nodeId: folder.node.nodeId },
      ]);
      this.#references.set(folder, found);
    }
    return found;
  }

  /** To how the histories of tags are kept. */
  #history(): References {
    this.#toHistory ??= this.#space.normalizeReferenceTypes([
      { referenceType: 'HasHistoricalConfiguration', isForward: true, nodeId: this.#configuration },
    ]);
    return this.#toHistory;
  }

  #typeId(type: DataType): NodeId {
    let id = this.#types.get(type);
    if (id === undefined) this.#types.set(type, (id = new NodeId(NodeIdType.NUMERIC, type, 0)));
    return id;
  }
}
