import { expect } from 'chai';
import { Attribute, DataType, isFault, type Fault, type Point, type Value } from '@tagway/sdk';
import { checkedSettings, until } from '@tagway/testkit';
import { checkTag } from '../src/address.ts';
import { checkSettings, type Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { fixtureAt } from './fixture.ts';
import { authPassword, hasSnmpd, privPassword, Snmpd, users } from './snmpd.ts';

const { READ, WRITE } = Attribute;
const skipped = hasSnmpd ? '' : ' (skipped: snmpd and snmp are not installed)';
const secured = { ...users[3], version: 2, auth_password: authPassword, priv_password: privPassword };

/** What people get wrong, and what the sentence that they get has to name. */
const ofSettings: readonly (readonly [
  mistake: string,
  changes: Partial<Settings>,
  names: readonly string[],
])[] = [
  ['version 3 without a user', { version: 2 }, ['user']],
  ['encryption without authentication', { version: 2, user: 'u', priv_protocol: 2 }, ['auth_protocol']],
  [
    'a short password',
    { version: 2, user: 'u', auth_protocol: 1, auth_password: 'short' },
    ['auth_password', '8'],
  ],
  [
    'no password for encryption',
    { version: 2, user: 'u', auth_protocol: 1, auth_password: authPassword, priv_protocol: 1 },
    ['priv_password', '8'],
  ],
];

const ofLinks: readonly (readonly [mistake: string, changes: Partial<Settings>, names: readonly string[]])[] =
  [
    ['another community', { community: 'publik' }, ['did not answer', 'community']],
    ['another port', { port: 1 }, ['refuses', '127.0.0.1:1']],
    [
      'a host that does not exist',
      { host: 'no-such-host.invalid' },
      ['no-such-host.invalid', 'cannot be resolved'],
    ],
    ['another user', { ...secured, user: 'shaeas' }, ['user']],
    ['another password', { ...secured, auth_password: 'not the password' }, ['auth_password']],
    ['another authentication', { ...secured, auth_protocol: 4 }, ['auth_protocol']],
    ['another password for encryption', { ...secured, priv_password: 'not the password' }, ['priv_password']],
    ['encryption for a user without it', { ...secured, ...users[1], priv_protocol: 2 }, ['priv_protocol']],
  ];

interface TagMistake {
  readonly mistake: string;
  readonly address: string;
  readonly type?: DataType;
  readonly write?: Value;
  readonly settings?: Partial<Settings>;
  readonly names: readonly string[];
}

const ofTags: readonly TagMistake[] = [
  { mistake: 'no .0 behind an object outside of tables', address: '1.3.6.1.2.1.1.7', names: ['.0'] },
  { mistake: 'no .0 in version 1', address: '1.3.6.1.2.1.1.7', settings: { version: 0 }, names: ['.0'] },
  {
    mistake: 'a column without a row',
    address: 'ifInOctets',
    names: ['ifInOctets.1', 'ifInOctets[ifDescr=eth0]'],
  },
  { mistake: 'a name with a slip', address: 'sysUptime', names: ['sysUptime', 'spelling'] },
  { mistake: 'a branch of the tree', address: 'interfaces', names: ['branch'] },
  { mistake: 'an object that the agent does not have', address: 'upsBatteryVoltage', names: ['noSuch'] },
  {
    mistake: 'a counter of 64 bits in version 1',
    address: 'ifHCInOctets.1',
    type: DataType.UINT64,
    settings: { version: 0 },
    names: ['64 bits', '2c'],
  },
  { mistake: 'a number for a text', address: 'sysDescr', names: ['OCTET STRING', 'STRING'] },
  { mistake: 'a type that is too small', address: 'sysServices', type: DataType.BOOL, names: ['0 or 1'] },
  { mistake: 'a row that is not there', address: 'ifInOctets[ifDescr=eth99]', names: ['row'] },
  { mistake: 'letters in numbers', address: '1.3.6.1.x', names: ['sysUpTime.0'] },
  { mistake: 'a first number above 2', address: '1.77.1', names: ['39'] },
  { mistake: ':hex for a number', address: 'ifPhysAddress.1:hex', names: ['STRING'] },
  { mistake: 'a notification without a port', address: 'trap:linkDown', names: ['trap_port'] },
  { mistake: 'a notification that nobody knows', address: 'trap:', names: ['trap:linkDown'] },
  {
    mistake: 'a write to what can only be read',
    address: 'sysUpTime',
    write: 5,
    settings: { write_community: 'private' },
    names: ['only be read'],
  },
  {
    mistake: 'a write with a community that may only read',
    address: 'sysContact',
    type: DataType.STRING,
    write: 'x',
    names: ['may not'],
  },
  {
    mistake: 'a value that is no label',
    address: 'ifAdminStatus.1',
    type: DataType.STRING,
    write: 'off',
    settings: { write_community: 'private' },
    names: ['INTEGER'],
  },
  {
    mistake: 'a text for a number',
    address: 'snmpEnableAuthenTraps',
    type: DataType.BYTES,
    write: Buffer.of(1),
    settings: { write_community: 'private' },
    names: ['INTEGER', 'BYTES'],
  },
];

(hasSnmpd ? describe : describe.skip)(`mistakes that people make${skipped}`, function () {
  this.timeout(60_000);
  let daemon: Snmpd;

  before(async () => {
    daemon = await Snmpd.start();
  });
  after(async () => {
    await daemon[Symbol.asyncDispose]();
  });

  const expectSentence = (text: string | undefined, names: readonly string[]): void => {
    expect(text).to.match(/^[A-Z"].*\.$/s);
    for (const name of names) expect(text).to.include(name);
  };

  for (const [mistake, changes, names] of ofSettings) {
    it(`${mistake} is refused with the settings`, () => {
      expectSentence(
        checkSettings(checkedSettings<Settings>(schema, { host: '127.0.0.1', ...changes }))?.message,
        names,
      );
    });
  }

  for (const [mistake, changes, names] of ofLinks) {
    it(`${mistake} is the reason of the link`, async () => {
      await using fixture = await fixtureAt(daemon.port, { timeout: 200, retries: 0, ...changes });
      await until('the reason is known', () => fixture.reason !== '');
      expectSentence(fixture.reason, names);
    });
  }

  for (const { mistake, address, type = DataType.UINT32, write, settings, names } of ofTags) {
    it(`${mistake} is a fault of the tag alone`, async () => {
      const attribute = READ | (write === undefined ? 0 : WRITE);
      const point: Point = { name: 'tag', address, type, attribute };
      const node = checkedSettings<Settings>(schema, { host: '127.0.0.1', ...settings });
      const refused = checkTag(point, node);
      if (refused !== undefined) return expectSentence(refused.message, names);
      await using fixture = await fixtureAt(daemon.port, { timeout: 300, retries: 0, ...settings });
      const sound: Point = { name: 'sound', address: 'sysServices', type: DataType.UINT8, attribute: READ };
      let fault: unknown;
      if (write === undefined) {
        const [value, other] = await fixture.read([point, sound]);
        expect(other).to.equal(72);
        fault = value;
      } else [fault] = await fixture.write([point], [write]);
      expect(isFault(fault), String(fault)).to.equal(true);
      expectSentence((fault as Fault).message, names);
    });
  }
});
