import { expect } from 'chai';
import { Expression, Input, type Kind, type Operand } from '../src/index.ts';

const tags = 10_000;

/** Nanoseconds of CPU that one evaluation takes when each of many tags has an expression of its own: the best of some rounds. */
function costOf(text: (tag: number) => string, kind: Kind, value: Operand): number {
  const inputs: Input[] = [];
  const expressions = Array.from({ length: tags }, (_, tag) => {
    const resolve = (reference: string): Input => {
      const input = new Input(reference);
      Object.assign(input, { kind, value, fault: undefined, time: 0 });
      inputs.push(input);
      return input;
    };
    return new Expression(text(tag), resolve);
  });
  let best = Infinity;
  for (let round = 0; round < 20; round++) {
    for (const input of inputs) input.samples++;
    const before = process.cpuUsage();
    for (const expression of expressions) {
      expression.observe(round * 1000, false);
      expression.value();
    }
    const { system, user } = process.cpuUsage(before);
    best = Math.min(best, ((user + system) * 1000) / tags);
  }
  return best;
}

describe('An evaluation among 10 000 tags', () => {
  const cases: readonly (readonly [
    what: string,
    text: (tag: number) => string,
    kind: Kind,
    value: Operand,
  ])[] = [
    ['two whole numbers', (tag) => `tag("n/g/a${tag}") + tag("n/g/b${tag}")`, 'int', 5],
    ['two numbers', (tag) => `tag("n/g/a${tag}") * tag("n/g/b${tag}")`, 'double', 5.5],
    ['two whole numbers of 64 bits', (tag) => `tag("n/g/a${tag}") + tag("n/g/b${tag}")`, 'int', 2n ** 60n],
    ['a total', (tag) => `total(tag("n/g/a${tag}"))`, 'double', 5.5],
  ];
  for (const [what, text, kind, value] of cases)
    it(`of ${what} costs at most 1 µs`, function () {
      const cost = costOf(text, kind, value);
      this.test!.title += ` (${Math.round(cost)} ns)`;
      expect(cost).to.be.below(1000);
    });
});
