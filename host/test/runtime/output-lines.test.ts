import { expect } from 'chai';
import { OutputLines } from '../../src/runtime/process/output-lines.ts';

/** The lines of what is printed in these pieces, all in one second. */
function linesOf(...pieces: readonly (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const output = new OutputLines(
    (line) => lines.push(line),
    () => 5000,
  );
  for (const piece of pieces) output.push(Buffer.from(piece));
  output.end();
  return lines;
}

describe('what a plugin prints', () => {
  it('is cut into lines, wherever the pieces end', () => {
    expect(linesOf('one\ntw', 'o\r\n', '\nlast')).to.deep.equal(['one', 'two', '', 'last']);
    const euro = Buffer.from('a€\n');
    expect(linesOf(euro.subarray(0, 2), euro.subarray(2))).to.deep.equal(['a€']);
  });

  it('is cut where a line is long, and the rest is counted', () => {
    const [line, next] = linesOf('x'.repeat(900), 'y'.repeat(900), 'z'.repeat(5_000_000), '\nnext\n');
    expect(line).to.equal(`${'x'.repeat(900)}${'y'.repeat(100)}… (5000800 characters more were left out)`);
    expect(next).to.equal('next');
  });

  it('is counted where there are many lines', () => {
    const lines = linesOf('line\n'.repeat(1050));
    expect(lines).to.have.length(51);
    expect(lines.at(-1)).to.equal('1000 lines were left out: it prints too much');
  });
});
