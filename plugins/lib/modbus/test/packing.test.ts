import { expect } from 'chai';
import { DataType, ErrorCode, type Fault, type Write } from '@tagway/sdk';
import { packRanges, RefusalMemory, splitPlace } from '@tagway/sdk/link';
import type { Item } from '../src/decode.ts';
import { packOptions } from '../src/unit-plan.ts';
import { RequestRange } from '../src/read-request.ts';
import { compilePlan } from '../src/plan.ts';
import { orderOf, parseAddress, startOf, type Address } from '../src/address.ts';
import { planWrites } from '../src/write.ts';

const settings = { address_base: 1, max_gap: 0, endianess: 1, endianess_64: 1 };
const { INT16, INT32, BIT, STRING } = DataType;

function itemsOf(...tags: readonly (readonly [string, DataType])[]): Item[] {
  return tags.map(([text, type], index) => {
    const address = parseAddress(text, type) as Address;
    const start = startOf(address, 1);
    return {
      index,
      address,
      area: address.area,
      start,
      end: start + address.count,
      order: orderOf(address, settings),
    };
  });
}

/** Requests as "function start+count". */
function requests(items: readonly Item[], maxGap = 0): string[] {
  return packRanges(items, packOptions(maxGap))
    .map(({ items: members }) => new RequestRange(members).request)
    .map(({ pdu }) => `${pdu[0] ?? 0} ${pdu.readUInt16BE(1)}+${pdu.readUInt16BE(3)}`);
}

describe('the packing of reads', () => {
  it('fills requests up to 125 registers or 2000 bits', () => {
    const registers = Array.from({ length: 300 }, (_, index) => [`1!4${index + 1}`, INT16] as const);
    expect(requests(itemsOf(...registers))).to.deep.equal(['3 0+125', '3 125+125', '3 250+50']);
    const bits = Array.from({ length: 2001 }, (_, index) => [`1!1${index + 1}`, BIT] as const);
    expect(requests(itemsOf(...bits))).to.deep.equal(['2 0+2000', '2 2000+1']);
  });

  it('never splits a tag', () => {
    const pairs = Array.from({ length: 100 }, (_, index) => [`1!4${2 * index + 1}`, INT32] as const);
    expect(requests(itemsOf(...pairs))).to.deep.equal(['3 0+124', '3 124+76']);
  });

  it('joins neighbours, overlaps and doubles, and nothing across areas or gaps', () => {
    const items = itemsOf(
      ['1!300003', INT16],
      ['1!400001', INT32],
      ['1!400002', INT16],
      ['1!400002', INT16],
      ['1!400003', INT16],
      ['1!400005', INT16],
    );
    expect(requests(items)).to.deep.equal(['4 2+1', '3 0+3', '3 4+1']);
    expect(requests(items, 1)).to.deep.equal(['4 2+1', '3 0+5']);
  });

  it('allows sixteen times the gap between bits', () => {
    const items = itemsOf(['1!000001', BIT], ['1!000018', BIT], ['1!000036', BIT]);
    expect(requests(items, 1)).to.deep.equal(['1 0+18', '1 35+1']);
  });

  it('keeps what comes after a short tag inside a long one together', () => {
    const items = itemsOf(['1!400001.20', STRING], ['1!400002', INT16], ['1!400011', INT16]);
    expect(requests(items)).to.deep.equal(['3 0+11']);
  });

  it('makes one plan per unit', () => {
    const points = ['2!400001', '1!400001', '2!400002'].map((address) => ({
      name: 'tag',
      address,
      type: INT16,
      attribute: 1,
    }));
    expect(
      compilePlan(points, settings, () => new RefusalMemory()).units.map(({ unit }) => unit),
    ).to.deep.equal([1, 2]);
  });
});

describe('where a refused request is split', () => {
  it('at the middle of tags that stand side by side', () => {
    expect(
      splitPlace(itemsOf(...Array.from({ length: 10 }, (_, i) => [`1!4${i + 1}`, INT16] as const))),
    ).to.equal(5);
  });

  it('at a gap before anything else, at the gap nearest to the middle', () => {
    const items = itemsOf(['1!400001', INT16], ['1!400003', INT16], ['1!400004', INT16], ['1!400010', INT16]);
    expect(splitPlace(items)).to.equal(3);
  });

  it('between tags rather than through one', () => {
    expect(splitPlace(itemsOf(['1!400001', INT32], ['1!400002', INT16], ['1!400003', INT32]))).to.equal(2);
  });

  it('nowhere when all tags stand at one place', () => {
    expect(splitPlace(itemsOf(['1!400001', INT16], ['1!400001', INT16]))).to.equal(undefined);
    expect(splitPlace(itemsOf(['1!400001', INT16]))).to.equal(undefined);
  });
});

describe('the packing of writes', () => {
  function writesOf(...tags: readonly (readonly [string, DataType, number])[]): Write[] {
    return tags.map(([address, type, value]) => ({
      point: { name: 'tag', address, type, attribute: 2 },
      value,
    }));
  }

  function planned(...tags: readonly (readonly [string, DataType, number])[]) {
    const fault = (index: number, { message }: Fault): never => {
      throw new Error(`Write ${index} was refused: ${message}`);
    };
    return planWrites(writesOf(...tags), settings, { fault }).map(
      ({ unit, pdu, indices }) => `${unit}/${pdu.toString('hex')} ${indices.join()}`,
    );
  }

  it('joins what touches, at either end', () => {
    expect(planned(['1!400002', INT16, 2], ['1!400003', INT32, 3], ['1!400001', INT16, 1])).to.deep.equal([
      '1/100000000408' + '0001000200000003 2,0,1',
    ]);
  });

  it('joins nothing across a gap, another area, another unit, or a place already written', () => {
    const tags: [string, DataType, number][] = [
      ['1!400001', INT16, 1],
      ['1!400003', INT16, 2],
      ['2!400004', INT16, 3],
      ['2!000005', BIT, 1],
      ['2!000005', BIT, 0],
    ];
    expect(planned(...tags)).to.deep.equal([
      '1/0600000001 0',
      '1/0600020002 1',
      '2/0600030003 2',
      '2/050004ff00 3',
      '2/0500040000 4',
    ]);
  });

  it('names the tags that cannot be written and plans the others', () => {
    const faults: (readonly [index: number, code: number])[] = [];
    const plans = planWrites(writesOf(['1!300001', INT16, 1], ['1!400001', INT16, 1]), settings, {
      fault: (index, { code }) => void faults.push([index, code]),
    });
    expect(faults).to.deep.equal([[0, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED]]);
    expect(plans.map(({ indices }) => indices)).to.deep.equal([[1]]);
  });
});
