import { isFault, type Fault, type Point } from '@tagway/sdk';
import { parsePoints, RangePlan, ReadRange, RefusalMemory, type PointFault } from '@tagway/sdk/link';
import { compileDecodings, type Decoding, type Item } from './decode.ts';
import type { WordMemory } from './word-memory.ts';

/** Neighbouring points that one request reads. */
export class WordRange extends ReadRange<Item> {
  readonly decodings: readonly Decoding[];

  constructor(items: readonly Item[], { high, isBits }: { readonly high: 0 | 1; readonly isBits: boolean }) {
    super(items);
    this.decodings = compileDecodings(items, this.start, isBits ? 1 : 2, high);
  }
}

/** What passes have shown of a PLC; all groups share it. */
export class Findings {
  readonly refusals = new RefusalMemory<Fault>();
  /** Most places that the PLC takes in one request, as far as it has refused more. */
  readonly most = { words: Infinity, bits: Infinity };
}

/** Bytes that a request may read along to save a second one. */
const gap = 64;

/** How the points of one group are read: in as few requests as the PLC allows. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly ranges: RangePlan<Item, WordRange>;
  readonly #findings: Findings;

  constructor(points: readonly Point[], memory: WordMemory, findings: Findings) {
    const { items, invalid } = parsePoints(points, ({ address: text, type }, index) => {
      const address = memory.parse(text, type);
      return isFault(address) ? address : { ...address, index };
    });
    const kindOf = (area: number): 'words' | 'bits' => (memory.isBits(area) ? 'bits' : 'words');
    const options = {
      gap: (area: number) => (memory.isBits(area) ? gap : gap / 2),
      most: (area: number) => Math.min(memory.most(area), findings.most[kindOf(area)]),
      make: (members: readonly Item[]) =>
        new WordRange(members, { high: memory.high, isBits: memory.isBits(members[0]?.area ?? 0) }),
    };
    this.invalid = invalid;
    this.ranges = new RangePlan(items, options, findings.refusals);
    this.#findings = findings;
  }

  /** The PLC takes `most` places at most in one request. Returns whether that is news. */
  limit(kind: 'words' | 'bits', most: number): boolean {
    const { most: known, refusals } = this.#findings;
    if (most >= known[kind]) return false;
    known[kind] = most;
    refusals.version++;
    return true;
  }
}
