import { hash } from 'node:crypto';
import { expect } from 'chai';
import { signedText } from '../src/package-signature.ts';
import { validatePackageMember, validatePackageSignature } from '../src/validate.ts';

const sha512 = (text: string): string => hash('sha512', text, 'hex');

describe('the text that the signature of a package is over', () => {
  it('has name and version, and a line as of sha512sum for every other file, by the bytes of the paths', () => {
    // U+FF5E goes before U+1F600 in UTF-8, and behind it in UTF-16.
    const files: [string, string][] = ['b', '\u{1f600}', '\uff5e', 'a/b', 'signature.json', 'B'].map(
      (path) => [path, sha512(path)],
    );
    const text = signedText({ name: '@acme/meter', version: '1.2.3', files });
    expect(text).to.equal(
      ['tagway-package 1', 'name @acme/meter', 'version 1.2.3']
        .concat(['B', 'a/b', 'b', '\uff5e', '\u{1f600}'].map((path) => `${sha512(path)}  ${path}`))
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(signedText({ name: '@acme/meter', version: '1.2.3', files: files.toReversed() })).to.equal(text);
  });

  it('is made for no path that could stand for two lines', () => {
    const files: [string, string][] = [[`a\n${sha512('b')}  b`, sha512('a')]];
    expect(() => signedText({ name: 'a', version: '1.0.0', files })).to.throw('control character');
    expect(() => signedText({ name: 'a', version: '1.0.0', files: [['a', 'b']] })).to.throw('no SHA-512');
  });
});

describe('what a package says of its plugin', () => {
  const member = { id: 'meter', kind: 'driver', sdk: '^0.2.0', native: false };

  it('may have more members than this version knows, and more words for what it uses', () => {
    expect(validatePackageMember({ ...member, later: 1, uses: ['network', 'camera'] })).to.equal(undefined);
    expect(validatePackageMember({ ...member, os: ['linux', '!win32'], libc: ['glibc'] })).to.equal(
      undefined,
    );
  });

  it('is refused without what a list needs, or with texts that are none', () => {
    const { sdk: _, ...without } = member;
    expect(validatePackageMember(without)).to.be.a('string');
    for (const change of [{ id: '../x' }, { kind: 'thing' }, { uses: ['\u001b[2J'] }, { os: 'linux' }])
      expect(validatePackageMember({ ...member, ...change }), JSON.stringify(change)).to.be.a('string');
  });

  it('has a signature of one form', () => {
    const signature = {
      algorithm: 'ed25519',
      key: `SHA256:${'A'.repeat(43)}`,
      signature: `${'A'.repeat(86)}==`,
    };
    expect(validatePackageSignature(signature)).to.equal(undefined);
    for (const change of [{ algorithm: 'rsa' }, { key: 'x' }, { signature: 'AAAA' }])
      expect(validatePackageSignature({ ...signature, ...change }), JSON.stringify(change)).to.be.a('string');
  });
});
