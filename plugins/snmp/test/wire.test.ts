import { expect } from 'chai';
import { randomOf } from '@tagway/testkit';
import { Cursor, encoded, integer, Tag } from '../src/wire/ber.ts';
import { isAfter, numbersOf, oidOf, oidText } from '../src/wire/oid.ts';
import { EngineClock } from '../src/wire/secured.ts';
import { User } from '../src/wire/usm.ts';

const id = Buffer.from('000000000000000000000002', 'hex');

describe('the codec', () => {
  it('writes whole numbers in as few bytes as they take', () => {
    const hex = (value: number | bigint): string => integer(value).toString('hex');
    const values = [0, 127, 128, -1, -128, -129, 255, 256, 2 ** 31 - 1, -(2 ** 31), 2n ** 64n - 1n];
    expect(values.map(hex)).to.deep.equal([
      ...['020100', '02017f', '02020080', '0201ff', '020180', '0202ff7f', '020200ff', '02020100'],
      ...['02047fffffff', '020480000000', '020900ffffffffffffffff'],
    ]);
  });

  it('reads lengths of several bytes, and none that is longer than the data', () => {
    for (const length of [0, 127, 128, 255, 256, 70_000]) {
      const cursor = new Cursor().begin(encoded(Tag.OCTETS, Buffer.alloc(length)));
      expect(cursor.octets()?.length).to.equal(length);
      expect(cursor.next()).to.equal(false);
    }
    for (const hex of ['04', '0401', '0480', '048500', '0484ffffffff', '048102ff'])
      expect(new Cursor().begin(Buffer.from(hex, 'hex')).next(), hex).to.equal(false);
  });

  it('writes identifiers that it reads again, in the order of their numbers', () => {
    const random = randomOf(3);
    let before: string | undefined;
    for (let round = 0; round < 500; round++) {
      const rest = Array.from({ length: random(20) }, () => random(random(2) === 0 ? 200 : 2 ** 32));
      const text = [1, 3, ...rest].join('.');
      const oid = oidOf(text)!;
      expect(oidText(oid)).to.equal(text);
      if (before !== undefined && before !== text)
        expect(isAfter(oid, oidOf(before)!)).to.not.equal(isAfter(oidOf(before)!, oid));
      before = text;
    }
    for (const text of [
      '',
      '1',
      '3.1',
      '1.40',
      '1.3.4294967296',
      '1..3',
      '1.3.x',
      Array(130).fill(1).join('.'),
    ])
      if (text !== '1') expect(oidOf(text), text).to.equal(undefined);
    expect(numbersOf(Buffer.from('2b81', 'hex'))).to.equal(undefined);
    expect(numbersOf(Buffer.from('2bffffffffff7f', 'hex'))).to.equal(undefined);
  });
});

describe('the user-based security model', () => {
  /** The digest of nothing shows the key: HMAC with the localized key of RFC 3414, A.3. */
  it('makes the keys that the standard has as examples', async () => {
    const { createHmac } = await import('node:crypto');
    const keys = [
      ['md5', 1, '526f5eed9fcce26f8964c2930787d82b'],
      ['sha1', 2, '6695febc9288e36282235fc7151f128497b38f3f'],
    ] as const;
    for (const [hash, auth_protocol, key] of keys) {
      const passwords = { auth_password: 'maplesyrup', priv_password: '' };
      const user = new User({ user: 'u', auth_protocol, priv_protocol: 0, ...passwords });
      const digest = createHmac(hash, Buffer.from(key, 'hex')).update('x').digest().subarray(0, 12);
      expect(user.digest(Buffer.from('x'), id)).to.deep.equal(digest);
    }
  });

  it('decrypts what it has encrypted, with every protocol', () => {
    for (const auth_protocol of [1, 2, 3, 4, 5, 6]) {
      for (const priv_protocol of [1, 2, 3, 4]) {
        const passwords = { auth_password: 'maplesyrup', priv_password: 'other syrup' };
        const user = new User({ user: 'u', auth_protocol, priv_protocol, ...passwords });
        const engine = { id, boots: 5, time: 77 };
        const { data, salt } = user.encrypt(Buffer.from('thirteen more'), engine);
        expect(user.decrypt(data, salt, engine)?.toString('latin1', 0, 13)).to.equal('thirteen more');
        expect(data.includes('thirteen')).to.equal(false);
      }
    }
  });

  it('takes messages of the time that an engine has, and no old ones', () => {
    const clock = new EngineClock();
    clock.suppose({ id, boots: 9, time: 9 }, 0);
    expect(clock.accepts({ id, boots: 3, time: 1000 }, 0), 'the first that is signed').to.equal(true);
    expect(clock.accepts({ id, boots: 3, time: 990 }, 0), 'a little late').to.equal(true);
    expect(clock.accepts({ id, boots: 3, time: 1005 }, 60_000), 'the engine is slow').to.equal(true);
    expect(clock.accepts({ id, boots: 3, time: 1000 }, 300_000), 'sent again after minutes').to.equal(false);
    expect(clock.accepts({ id, boots: 2, time: 5000 }, 300_000), 'of a run before').to.equal(false);
    expect(clock.accepts({ id, boots: 4, time: 1 }, 300_000), 'of a new run').to.equal(true);
    expect(clock.accepts({ id, boots: 3, time: 1305 }, 300_000), 'of the run before').to.equal(false);
    expect(clock.accepts({ id, boots: 0x7fff_ffff, time: 1 }, 0), 'that can have no new run').to.equal(false);
  });
});
