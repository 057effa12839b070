import { DataType, ErrorCode, Fault, type TagDraft } from '@tagway/sdk';
import { makeNodeId, type NodeId } from 'node-opcua-client';

/** What a tag's address names: a node of the server, or one element of the array that it holds. */
export interface Address {
  readonly nodeId: NodeId;
  /** OPC 10000-4, 7.27: "3" or "1,2", from 0; empty for the whole value. */
  readonly indexRange: string;
}

const form = /^([0-9]{1,5})(?:\[([0-9]{1,10}(?:,[0-9]{1,10}){0,2})\])?!(.+)$/su;
const digits = /^[0-9]+$/;

/** `NS!NODEID`, `NS[i]!NODEID`; undefined when the text has neither form or a number is too large. */
export function parseAddress(text: string): Address | undefined {
  const [, namespace = '', indexRange = '', id = ''] = form.exec(text) ?? [];
  if (id === '' || Number(namespace) > 0xffff) return undefined;
  if (indexRange.split(',').some((index) => Number(index) > 0xffff_ffff)) return undefined;
  if (!digits.test(id)) return { nodeId: makeNodeId(id, Number(namespace)), indexRange };
  return Number(id) > 0xffff_ffff
    ? undefined
    : { nodeId: makeNodeId(Number(id), Number(namespace)), indexRange };
}

/** The address of a node, or undefined for an id that addresses cannot express: a byte string, or digits that are a text. */
export function addressOf({ namespace, identifierType, value }: NodeId, index = ''): string | undefined {
  const prefix = `${namespace}${index === '' ? '' : `[${index}]`}!`;
  const text = typeof value === 'number' || typeof value === 'string' ? `${prefix}${value}` : undefined;
  const back = text === undefined ? undefined : parseAddress(text)?.nodeId;
  return back?.identifierType === identifierType && back.value === value ? text : undefined;
}

export function checkTag({ type, address }: TagDraft): Fault | undefined {
  if (type === DataType.BYTES)
    return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'The OPC UA driver has no tags of type BYTES.');
  if (parseAddress(address) !== undefined) return undefined;
  return new Fault(
    ErrorCode.TAG_ADDRESS_INVALID,
    `"${address}" is not an OPC UA address. It is the namespace index, "!" and the node's id, such as 2!Tank.Level or 2!1001, ` +
      'with an index before the "!" for one element of an array, such as 2[0]!Levels.',
  );
}
