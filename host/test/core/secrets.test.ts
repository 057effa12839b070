import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import type { Plugin } from '../../src/core/model.ts';
import {
  mapSecrets,
  meantSettings,
  secretMask,
  secretsOf,
  shownSettings,
} from '../../src/core/access/secrets.ts';

const secret = { type: 'string', writeOnly: true };
const settingsSchema = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    password: secret,
    proxy: { type: 'object', properties: { url: { type: 'string' }, token: secret } },
    users: { type: 'array', items: { type: 'object', properties: { name: {}, pass: secret } } },
    keys: { type: 'array', items: secret },
  },
  allOf: [{ if: { properties: { tls: { const: true } } }, then: { properties: { key: secret } } }],
};
const plugin = { id: 'p', name: 'P', settingsSchema } as unknown as Plugin;
const params = {
  host: 'h',
  password: 'p1',
  proxy: { url: 'u', token: 'p2' },
  users: [
    { name: 'a', pass: 'p3' },
    { name: 'b', pass: '' },
  ],
  keys: ['p4', 'p5'],
  key: 'p6',
};

/** The settings with each secret as `text` has it. */
const like = (text: (secret: string) => string): object => ({
  host: 'h',
  password: text('p1'),
  proxy: { url: 'u', token: text('p2') },
  users: [
    { name: 'a', pass: text('p3') },
    { name: 'b', pass: '' },
  ],
  keys: [text('p4'), text('p5')],
  key: text('p6'),
});

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isFault(error) && error.code === ErrorCode.NODE_SETTING_INVALID) return error.message;
    throw error;
  }
  return '';
}

describe('secrets in settings', () => {
  it('are found at any depth, in lists and behind conditions, and masked', () => {
    expect(shownSettings(plugin, params, false)).to.deep.equal(like(() => secretMask));
    expect(shownSettings(plugin, params, true)).to.deep.equal(params);
    expect(secretsOf(plugin, params)).to.have.members(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
    expect(params).to.deep.equal(like((text) => text));
  });

  it('are every text of a member that the schema does not know: its name may be misspelt', () => {
    const odd = {
      host: 'h',
      pasword: 'p1',
      port: 1,
      more: { deep: ['p2', 2, { key: '' }] },
      proxy: { tokn: 'p3' },
    };
    const shown = {
      host: 'h',
      pasword: secretMask,
      port: 1,
      more: { deep: [secretMask, 2, { key: '' }] },
      proxy: { tokn: secretMask },
    };
    expect(shownSettings(plugin, odd, false)).to.deep.equal(shown);
    expect(meantSettings(plugin, shown, 'n', odd)).to.deep.equal(odd);
    const open = { properties: { a: {} }, additionalProperties: { type: 'string' } };
    const lax = { ...plugin, settingsSchema: open } as unknown as Plugin;
    expect(shownSettings(lax, { a: 'x', b: 'y' }, false)).to.deep.equal({ a: 'x', b: 'y' });
  });

  it('stay as they are stored where the mask is sent back', () => {
    const shown = shownSettings(plugin, params, false);
    expect(meantSettings(plugin, { ...shown, host: 'other', password: 'new' }, 'n', params)).to.deep.equal({
      ...params,
      host: 'other',
      password: 'new',
    });
  });

  it('are refused as a mask where none is stored, with the name of the setting', () => {
    expect(refusal(() => meantSettings(plugin, { users: [{ pass: secretMask }] }, 'line'))).to.match(
      /^The setting "users\.0\.pass" of the node "line" is \*{8}, .*Send the secret itself/,
    );
    const sealed = { password: { $sealed: 'AAAA' } } as unknown as typeof params;
    expect(refusal(() => meantSettings(plugin, { password: secretMask }, 'line', sealed))).to.include(
      '"password"',
    );
    expect(refusal(() => meantSettings(plugin, { host: secretMask }, 'line'))).to.equal('');
  });

  it('may be every text of a plugin that is missing', () => {
    const absent = { ...plugin, absent: true, settingsSchema: {} } as Plugin;
    expect(shownSettings(absent, { host: 'h', port: 1, list: ['x'] }, false)).to.deep.equal({
      host: secretMask,
      port: 1,
      list: [secretMask],
    });
  });

  it('keep their places when they are changed', () => {
    const places: string[] = [];
    mapSecrets(settingsSchema, params, (value, path) => {
      places.push(path.join('.'));
      return value;
    });
    expect(places).to.have.members(['password', 'proxy.token', 'users.0.pass', 'keys.0', 'keys.1', 'key']);
  });
});
