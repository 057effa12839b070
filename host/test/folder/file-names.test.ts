import { expect } from 'chai';
import { FileNames, nameOfFile } from '../../src/folder/file-names.ts';

describe('names of files', () => {
  const of = (name: string): string => new FileNames().of(name);

  it('keep what is safe everywhere and write the bytes of everything else', () => {
    const names: Record<string, string> = {
      boiler: 'boiler',
      'line-A.1': 'line-A.1',
      锅炉房: '锅炉房',
      'a/b': 'a%2Fb',
      '../../etc': '%2E.%2F..%2Fetc',
      '.hidden': '%2Ehidden',
      '-rf': '%2Drf',
      'ends.': 'ends%2E',
      ' x ': '%20x%20',
      con: '%63on',
      'COM1.x': '%43OM1.x',
      '100%': '100%25',
      'a\u0000\n"': 'a%00%0A%22',
      'e\u0301': 'e%CC%81',
      '🙂': '%F0%9F%99%82',
    };
    for (const [name, file] of Object.entries(names)) {
      expect(of(name), name).to.equal(file);
      expect(nameOfFile(file), file).to.equal(name);
    }
    expect([nameOfFile('a%2'), nameOfFile('%FF'), nameOfFile('%')]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('differ in more than the case of letters, and are never too long for a system', () => {
    const names = new FileNames();
    expect(['pump', 'Pump', 'PUMP'].map((name) => names.of(name))).to.deep.equal([
      'pump',
      '%50ump',
      '%50%55%4D%50',
    ]);
    const long = new FileNames();
    const files = ['a', 'b'].map((end) => long.of('/'.repeat(126) + end));
    expect(new Set(files).size).to.equal(2);
    for (const file of files) {
      expect(Buffer.byteLength(file)).to.be.below(250);
      expect(nameOfFile(file)).to.match(/~$/);
    }
  });
});
