import type { UAObject } from 'node-opcua-address-space';
import type { NodeId } from 'node-opcua-nodeid';
import { StatusCodes } from 'node-opcua-status-code';
import type { BrowsePath } from 'node-opcua-types';
import type { Variant } from 'node-opcua-variant';
import type { Condition } from './condition.ts';
import type { Field, Fields } from './fields.ts';

/** What the library needs of an event: it finds the fields that a client selects by paths, and asks for their values. */
export interface LibraryEvent {
  readonly eventType: Variant | undefined;
  readonly sourceNode: Variant | undefined;
  getEventDataSource(): UAObject;
  _browse(path: BrowsePath): { readonly statusCode: unknown; readonly targets: readonly object[] };
  _readValue(nodeId: NodeId): Variant | null;
}

/** The present state of a condition as an event. The library's own conditions have a variable for each field, which makes them a hundred times as large. */
export class ConditionEvent implements LibraryEvent {
  readonly #condition: Condition;
  readonly #fields: Fields;

  constructor(condition: Condition, fields: Fields) {
    this.#condition = condition;
    this.#fields = fields;
  }

  get eventType(): Variant | undefined {
    return this.#valueOf(this.#fields.find('EventType'));
  }

  get sourceNode(): Variant | undefined {
    return this.#valueOf(this.#fields.find('SourceNode'));
  }

  getEventDataSource(): UAObject {
    return this.#condition.node;
  }

  _browse({ relativePath }: BrowsePath): ReturnType<LibraryEvent['_browse']> {
    const names = (relativePath.elements ?? []).map(({ targetName }) => targetName.name ?? '');
    const field = this.#fields.find(names.join('/'));
    return field === undefined
      ? { statusCode: StatusCodes.BadNoMatch, targets: [] }
      : { statusCode: StatusCodes.Good, targets: [{ targetId: field.declaration }] };
  }

  _readValue(nodeId: NodeId): Variant | null {
    return this.#valueOf(this.#fields.declaredBy(nodeId)) ?? null;
  }

  #valueOf(field: Field | undefined): Variant | undefined {
    return field?.value(this.#condition);
  }
}
