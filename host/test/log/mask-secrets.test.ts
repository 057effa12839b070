import { expect } from 'chai';
import { maskedOutput } from '../../src/log/mask-secrets.ts';

describe('what a plugin prints', () => {
  const secrets: Readonly<Record<string, readonly string[]>> = {
    a: ['correct horse', 'horse'],
    b: ['staple', 'no'],
  };
  const clean = maskedOutput('***', (node) => secrets[node] ?? []);

  it('has masks for the secrets of all nodes of the plugin', () => {
    expect(clean('log in with correct horse, then staple staple', ['a', 'b'])).to.equal(
      'log in with ***, then *** ***',
    );
  });

  it('keeps texts that are too short to be secrets, and everything else', () => {
    expect(clean('no horses for c', ['b', 'c'])).to.equal('no horses for c');
  });
});
