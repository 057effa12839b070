import { Attribute, DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';
import { areas, objectOf, propertyNamed, type Wire } from './properties.ts';
import type { PropertyRef } from './services.ts';

/** A parsed address. */
export interface Address extends PropertyRef {
  /** The area as written, such as `AI`. */
  readonly area: string;
  readonly wire: Wire;
  /** Priority of writes, if the address names one. */
  readonly priority: number | undefined;
  /** Every write gives the priority up, whatever the value. */
  readonly isRelinquish: boolean;
}

const grammar =
  /^(A[IOV]|B[IOV]|MS[IOV]|ACC|DEV)([0-9]{1,7})(?:\.(custom\.[0-9]{1,7}|[A-Za-z][A-Za-z_]*))?(?:\[([0-9]{1,7})\])?(?:@([1-9]|1[0-6]))?$/;

const largestInstance = 0x3f_ffff;

const expected =
  'an object and optionally one of its properties, such as AI3, AO1@8, AV7.Units, MSV2.State_Text[1] or DEV100.custom.512';

const badAddress = (sentence: string): Fault => new Fault(ErrorCode.TAG_ADDRESS_INVALID, sentence);
const badAttribute = (sentence: string): Fault => new Fault(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED, sentence);
const badType = (sentence: string): Fault => new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, sentence);

const notAnAddress = badAddress(`The address must be ${expected}.`);
const tooLarge = badAddress(
  'The number of the object or of its property is too large: 4194303 is the highest.',
);
const unknownName = badAddress(
  'The property has no name that is known here; name it by its number, such as AV7.custom.118.',
);
const noPresentValue = badAddress(
  'A device has no present value: name one of its properties, such as DEV100.Vendor_Name.',
);
const notCommandable = badAddress(
  'Only the values of AO, AV, BO, BV, MSO and MSV can be given up with NULL, such as AO1.NULL@8.',
);

const readOnly = badAttribute(
  'Only AO, AV, BO, BV, MSO, MSV and ACC can be written; the tag must not have the attribute WRITE.',
);
const writeOnly = badAttribute(
  'NULL can be written alone: the tag must have the attribute WRITE and no other.',
);

const noType = badType('The type must be one of INT8 to UINT64, FLOAT, DOUBLE, BIT, BOOL, STRING and BYTES.');
const analogType = badType(
  'The present value of an analog object is a real number: the type must be FLOAT or DOUBLE.',
);
const discreteType = badType(
  'This value is a whole number: the type must be a number, or BIT or BOOL for a binary object.',
);

const writable = new Set(['AO', 'AV', 'BO', 'BV', 'MSO', 'MSV', 'ACC']);
const commandable = new Set(['AO', 'AV', 'BO', 'BV', 'MSO', 'MSV']);
const types = new Set<number>(Object.values(DataType));

export function parseAddress(address: string): Address | Fault {
  const [, area, digits, name = 'Present_Value', element, level] = grammar.exec(address) ?? [];
  const type = areas[area ?? ''];
  if (area === undefined || type === undefined) return notAnAddress;
  const instance = Number(digits);
  if (instance > largestInstance) return tooLarge;
  const isRelinquish = name === 'NULL';
  const rest = {
    area,
    object: objectOf(type, instance),
    index: element === undefined ? undefined : Number(element),
    priority: level === undefined ? undefined : Number(level),
    isRelinquish,
  };
  if (isRelinquish && !commandable.has(area)) return notCommandable;
  if (name.startsWith('custom.')) {
    const property = Number(name.slice('custom.'.length));
    return property > largestInstance ? tooLarge : { ...rest, property, wire: 'tag' };
  }
  const known = propertyNamed(isRelinquish ? 'Present_Value' : name);
  if (known === undefined) return unknownName;
  if (known.wire === 'present' && area === 'DEV') return noPresentValue;
  return { ...rest, property: known.number, wire: known.wire };
}

/** Refuses what no device could give or take, with a sentence for the operator. */
export function checkTag({ address, attribute, type }: TagDraft): Fault | undefined {
  if (!types.has(type)) return noType;
  const parsed = parseAddress(address);
  if (isFault(parsed)) return parsed;
  if (parsed.isRelinquish) return attribute === Attribute.WRITE ? undefined : writeOnly;
  if ((attribute & Attribute.WRITE) !== 0 && !writable.has(parsed.area)) return readOnly;
  if (parsed.wire !== 'present') return undefined;
  const isReal = type === DataType.FLOAT || type === DataType.DOUBLE;
  if (parsed.area.startsWith('A') && parsed.area !== 'ACC') return isReal ? undefined : analogType;
  const isBit = type === DataType.BIT || type === DataType.BOOL;
  if (type === DataType.STRING || type === DataType.BYTES) return discreteType;
  return isBit && !parsed.area.startsWith('B') ? discreteType : undefined;
}
