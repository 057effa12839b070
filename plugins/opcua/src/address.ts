import { DataType, ErrorCode, Fault, type TagDraft } from '@tagway/sdk';
import { NodeId } from 'node-opcua-client';

/** What a tag's address names: a node of the server, or one element of the array that it holds. */
export interface Address {
  readonly nodeId: NodeId;
  /** OPC 10000-4, 7.27: "3" or "1,2", from 0; empty for the whole value. */
  readonly indexRange: string;
}

const { NUMERIC, STRING, GUID, BYTESTRING } = NodeId.NodeIdType;

const form = /^([0-9]{1,5})([sb]?)(?:\[([0-9]{1,10}(?:,[0-9]{1,10}){0,2})\])?!(.+)$/su;
const digits = /^[0-9]+$/;
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `NS!NODEID`, `NSs!TEXT` or `NSb!BASE64`, with `[i]` before the `!` for an element. Undefined when the text is none of these. */
export function parseAddress(text: string): Address | undefined {
  const [, space = '', kind = '', indexRange = '', id = ''] = form.exec(text) ?? [];
  const namespace = Number(space);
  if (id === '' || namespace > 0xffff) return undefined;
  if (indexRange.split(',').some((index) => Number(index) > 0xffff_ffff)) return undefined;
  const nodeId = nodeIdOf(namespace, kind, id);
  return nodeId && { nodeId, indexRange };
}

/** Built, not parsed: the library would take a text such as "i=5" or "ns=2;s=Tank" for a notation of its own. */
function nodeIdOf(namespace: number, kind: string, id: string): NodeId | undefined {
  if (kind === 'b')
    return base64.test(id) ? new NodeId(BYTESTRING, Buffer.from(id, 'base64'), namespace) : undefined;
  if (kind === 's') return new NodeId(STRING, id, namespace);
  if (digits.test(id))
    return Number(id) > 0xffff_ffff ? undefined : new NodeId(NUMERIC, Number(id), namespace);
  return new NodeId(guid.test(id) ? GUID : STRING, id, namespace);
}

/** The address of a node, or undefined for one that has no id at all. */
export function addressOf({ namespace, identifierType, value }: NodeId, index = ''): string | undefined {
  const element = index === '' ? '' : `[${index}]`;
  if (identifierType === BYTESTRING) {
    const bytes = value as Buffer | null;
    return bytes?.length ? `${namespace}b${element}!${bytes.toString('base64')}` : undefined;
  }
  const id = String(value);
  if (id === '') return undefined;
  const isMistakable = identifierType === STRING && (digits.test(id) || guid.test(id));
  return `${namespace}${isMistakable ? 's' : ''}${element}!${id}`;
}

export function checkTag({ type, address }: TagDraft): Fault | undefined {
  if (type === DataType.BYTES)
    return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'The OPC UA driver has no tags of type BYTES.');
  if (parseAddress(address) !== undefined) return undefined;
  return new Fault(
    ErrorCode.TAG_ADDRESS_INVALID,
    `"${address}" is not an OPC UA address: ${problemOf(address)}`,
  );
}

function problemOf(address: string): string {
  const [, space = '', kind = '', indexRange = '', id = ''] = form.exec(address) ?? [];
  if (space === '')
    return (
      'it is the namespace index, "!" and the id of the node, such as 2!Tank.Level or 2!1001, ' +
      'with an index before the "!" for one element of an array, such as 2[0]!Levels.'
    );
  if (Number(space) > 0xffff) return `the namespace index ${space} is above 65535.`;
  if (kind === 'b') return `after "${space}b" and "!" comes a byte string as base64, which "${id}" is not.`;
  if (indexRange.split(',').some((index) => Number(index) > 0xffff_ffff))
    return `an index is at most 4294967295, and [${indexRange}] is not.`;
  return `a numeric id is at most 4294967295; if ${id} is a text, write ${space}s!${id}.`;
}
