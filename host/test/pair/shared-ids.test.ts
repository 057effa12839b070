import { expect } from 'chai';
import { sharedIds } from '../../src/pair/config/shared-ids.ts';

describe('the shared id of a node', () => {
  const key = Buffer.alloc(32, 7);

  it('is the same at both gateways, and fits behind a short prefix in a client id', () => {
    const id = sharedIds(key, 'plant1')(12);
    expect(sharedIds(Buffer.from(key), 'plant1')(12)).to.equal(id);
    expect(id).to.match(/^[0-9a-f]{16}$/);
  });

  it('is that of no other node, pair or key', () => {
    const ids = [
      sharedIds(key, 'plant1')(12),
      sharedIds(key, 'plant1')(1),
      sharedIds(key, 'plant2')(12),
      sharedIds(Buffer.alloc(32, 8), 'plant1')(12),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
