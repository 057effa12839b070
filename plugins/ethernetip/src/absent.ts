import { ErrorCode, Fault } from '@tagway/sdk';
import type { Address } from './address.ts';
import type { Structure, TypeWord } from './template.ts';
import type { ArrayNode } from './tree.ts';
import { elementaryOf } from './types.ts';

/** What a name stands for, as far as the controller has said. */
export interface Found {
  readonly type: TypeWord;
  readonly structure: Structure | undefined;
  readonly dimensions: readonly number[];
}

export function missingTag({ parts: [{ name }], program }: Address): Fault {
  const text =
    program === ''
      ? `The controller has no tag ${name}. Check its spelling; a tag of a program is named Program:NAME.TAG.`
      : `The program ${program} of the controller has no tag ${name}. Check its spelling and the name of the program.`;
  return new Fault(ErrorCode.READ_FAILED, text);
}

function nameUpTo({ parts }: Address, at: number): string {
  return parts
    .slice(0, at + 1)
    .map(({ name, indices }) => (indices.length === 0 ? name : `${name}[${indices.join(',')}]`))
    .join('.');
}

export function noMember(address: Address, at: number, { structure, type }: Found): Fault {
  const { name } = address.parts[at]!;
  const has = structure?.name ?? elementaryOf(type.code).name;
  const owner = nameUpTo(address, at - 1);
  const text =
    structure === undefined && !type.isStructure
      ? `${owner} is of type ${has}, which has no members such as ${name}.`
      : `${owner} is of type ${has}, which has no member ${name}.`;
  return new Fault(ErrorCode.READ_FAILED, text);
}

export function noArray(address: Address, at: number, { structure, type }: Found): Fault {
  const has = structure?.name ?? elementaryOf(type.code).name;
  const { name } = address.parts[at]!;
  const text = `${nameUpTo(address, at)} has an index, and ${name} is no array: it is of type ${has}.`;
  return new Fault(ErrorCode.READ_FAILED, text);
}

export function needsIndex(address: Address, at: number, { dimensions, element }: ArrayNode): Fault {
  return new Fault(
    ErrorCode.READ_FAILED,
    `${nameUpTo(address, at)} is an array of ${element.name}: name one of its elements, from ${nameUpTo(address, at)}[${dimensions.map(() => 0).join(',')}] on.`,
  );
}
