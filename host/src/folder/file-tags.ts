import { Attribute, DataType, dataTypeName, type FileTag, type TagInput } from '@tagway/schemas';

const words = [
  ['Read', Attribute.READ],
  ['Write', Attribute.WRITE],
  ['Subscribe', Attribute.SUBSCRIBE],
  ['Static', Attribute.STATIC],
] as const;

/** An attribute in words, such as `Read Write`. */
export function attributeText(attribute: number): string {
  return words
    .filter(([, flag]) => (attribute & flag) !== 0)
    .map(([word]) => word)
    .join(' ');
}

/** An attribute from its words, in any case, or from its number; undefined for anything else. */
export function attributeOf(text: string): number | undefined {
  if (/^(?:[0-9]|1[0-5])$/.test(text.trim())) return Number(text);
  let attribute = 0;
  for (const part of text.split(/[\s,;|+/]+/).filter((one) => one !== '')) {
    const known = words.find(([word]) => word.toLowerCase() === part.toLowerCase());
    if (known === undefined) return undefined;
    attribute |= known[1];
  }
  return attribute;
}

/** The number of a type by its name in any case; undefined for anything else. */
export function typeOf(name: string): DataType | undefined {
  const upper = name.trim().toUpperCase();
  return Object.hasOwn(DataType, upper) ? DataType[upper as keyof typeof DataType] : undefined;
}

/** Members that mean the same when they are left out. */
const defaults = { description: '', decimal: 0, precision: 0, bias: 0 } as const;
const optional = ['value', 'deadband', 'unit', 'low', 'high'] as const;

/** A tag as a file has it, which fits its definition. */
export function tagOfFile({ type, attribute, address = '', ...rest }: FileTag): TagInput {
  const otherwise = rest.value === undefined ? Attribute.READ : Attribute.STATIC;
  return {
    ...rest,
    address,
    type: DataType[type],
    attribute: (attribute === undefined ? undefined : attributeOf(attribute)) ?? otherwise,
  };
}

/** A tag for a file, without what means the same when it is left out. */
export function fileTagOf(tag: TagInput): FileTag {
  const { name, address, attribute } = tag;
  const otherwise = tag.value === undefined ? Attribute.READ : Attribute.STATIC;
  const file: Record<string, unknown> = { name };
  if (address !== '') file['address'] = address;
  file['type'] = dataTypeName(tag.type);
  if (attribute !== otherwise) file['attribute'] = attributeText(attribute);
  for (const member of Object.keys(defaults) as (keyof typeof defaults)[]) {
    const value = tag[member];
    if (value !== undefined && value !== null && value !== defaults[member]) file[member] = value;
  }
  for (const member of optional) if (tag[member] !== undefined) file[member] = tag[member];
  if (file['unit'] === '') delete file['unit'];
  if (file['deadband'] === 0) delete file['deadband'];
  return file as unknown as FileTag;
}
