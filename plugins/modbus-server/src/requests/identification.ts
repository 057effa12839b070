import { Exception, FunctionCode, maxPdu } from '@tagway/modbus/server';
import { putException } from './request.ts';

/** What a server says about itself, by object of the Modbus Application Protocol V1.1b3, section 6.21. */
export type Identity = ReadonlyMap<number, Buffer>;

const readDeviceIdentification = 14;
/** Basic and regular objects, by stream and one by one. */
const conformity = 0x82;
const Category = { BASIC: 1, REGULAR: 2, EXTENDED: 3, ONE: 4 } as const;
const lastOf: Readonly<Record<number, number>> = {
  [Category.BASIC]: 0x02,
  [Category.REGULAR]: 0x7f,
  [Category.EXTENDED]: 0x7f,
};
/** Bytes of a text: each fits into one answer. */
const mostText = 200;

export interface IdentitySettings {
  readonly vendor: string;
  readonly product: string;
  readonly revision: string;
}

export function identityOf({ vendor, product, revision }: IdentitySettings, node: string): Identity {
  const texts: readonly (readonly [object: number, text: string])[] = [
    [0x00, vendor],
    [0x01, product],
    [0x02, revision],
    [0x04, product],
    [0x06, node],
  ];
  return new Map(texts.map(([object, text]) => [object, Buffer.from(text).subarray(0, mostText)]));
}

/** Writes the answer to the request `data[at, end)` to `out[to]`. Returns its length. */
export function answerIdentification(
  identity: Identity,
  data: Buffer,
  at: number,
  end: number,
  out: Buffer,
  to: number,
): number {
  const code = FunctionCode.ENCAPSULATED_TRANSPORT;
  if (end - at < 2 || data[at + 1] !== readDeviceIdentification)
    return putException(out, to, code, Exception.ILLEGAL_FUNCTION);
  const category = data[at + 2] ?? 0;
  if (end - at !== 4 || category < Category.BASIC || category > Category.ONE)
    return putException(out, to, code, Exception.ILLEGAL_DATA_VALUE);
  const asked = data[at + 3]!;
  const isOne = category === Category.ONE;
  if (isOne && !identity.has(asked)) return putException(out, to, code, Exception.ILLEGAL_DATA_ADDRESS);
  const most = lastOf[category] ?? 0;
  // An object that is not there begins the list anew.
  const from = identity.has(asked) && asked <= most ? asked : 0;
  const objects = [...identity].filter(([object]) =>
    isOne ? object === asked : object >= from && object <= most,
  );
  out.set([code, readDeviceIdentification, category, conformity, 0, 0], to);
  let size = 7;
  let count = 0;
  for (const [object, text] of objects) {
    if (size + 2 + text.length > maxPdu) {
      out[to + 4] = 0xff;
      out[to + 5] = object;
      break;
    }
    out[to + size] = object;
    out[to + size + 1] = text.length;
    out.set(text, to + size + 2);
    size += 2 + text.length;
    count++;
  }
  out[to + 6] = count;
  return size;
}
