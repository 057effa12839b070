import { expect } from 'chai';
import { dialects, schemaRecord } from '../src/index.ts';
import { checkOf, compileSettings, validateManifest, validateSettingsSchema } from '../src/validate.ts';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    mode: {
      type: 'integer',
      title: 'Mode',
      description: 'Who connects.',
      'x-zh': { title: '模式', description: '连接方' },
      oneOf: [
        { const: 0, title: 'Client', 'x-zh': { title: '客户端' } },
        { const: 1, title: 'Server' },
      ],
      default: 0,
    },
    port: {
      type: 'integer',
      title: 'Port',
      description: 'TCP port.',
      minimum: 1,
      maximum: 65535,
      default: 502,
    },
    host: {
      type: 'string',
      title: 'Host',
      description: 'Address.',
      minLength: 1,
      maxLength: 30,
      pattern: '^[0-9.]+$',
      examples: ['10.0.0.1', '10.0.0.2'],
    },
    qos: { type: 'integer', title: 'QoS', description: '', enum: [0, 1, 2], default: 1 },
    factor: { type: 'number', title: 'Factor', description: '' },
    retries: { type: 'integer', title: 'Retries', description: '', default: 3 },
    ssl: { type: 'boolean', title: 'TLS', description: '', default: false },
  },
  required: ['mode', 'host', 'port'],
  allOf: [
    {
      if: { properties: { ssl: { const: true } }, required: ['ssl'] },
      then: {
        required: ['ca'],
        properties: {
          ca: { type: 'string', title: 'CA', description: 'Certificate.', contentEncoding: 'base64' },
          keypass: { type: 'string', title: 'Passphrase', description: '', writeOnly: true },
        },
      },
    },
  ],
};

describe('settings', () => {
  const settle = compileSettings({ ...schema, required: ['host'] });

  it('must hold what is required, although it has a default', () => {
    const schema = {
      type: 'object',
      properties: { port: { type: 'integer', default: 502 }, unit: { type: 'integer', default: 1 } },
      required: ['port'],
    };
    expect(compileSettings(schema)({})).to.have.property('message').that.includes('port');
    expect(compileSettings(schema)({ port: 1 })).to.deep.equal({ settings: { port: 1, unit: 1 } });
  });

  it('must hold what a condition requires, although it has a default', () => {
    const baud = { type: 'integer', default: 4 };
    const schema = {
      type: 'object',
      properties: { link: { type: 'integer' } },
      allOf: [
        {
          if: { properties: { link: { const: 0 } }, required: ['link'] },
          then: { properties: { baud }, required: ['baud'] },
        },
      ],
    };
    expect(compileSettings(schema)({ link: 0 }))
      .to.have.property('message')
      .that.includes('baud');
    expect(compileSettings(schema)({ link: 1 })).to.deep.equal({ settings: { link: 1 } });
  });

  it('may have a number that may be a text, which clients see as an integer', () => {
    const address = {
      type: ['string', 'integer'],
      title: 'Address',
      description: '',
      minimum: 0,
      maximum: 99,
      maxLength: 2,
      pattern: '^[0-9]+$',
    };
    const schema = { type: 'object', properties: { address }, required: ['address'] };
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    for (const address of [7, '07'])
      expect(compileSettings(schema)({ address })).to.deep.equal({ settings: { address } });
    for (const address of [-1, 100, '-1', '007', 1.5, true])
      expect(compileSettings(schema)({ address })).to.have.property('message');
    const record = schemaRecord({ settingsSchema: schema, groupInterval: 1000, addresses: [] });
    expect(record['address']).to.deep.include({ type: 'int', valid: { min: 0, max: 99 } });
  });

  it('without an example are refused by their default or their description, never by a regular expression', () => {
    const text = { type: 'string', title: 'T', description: 'Four digits.', pattern: '^[0-9]{4}$' };
    const messageOf = (setting: object): unknown =>
      compileSettings({ type: 'object', properties: { code: setting } })({ code: 'x' });
    expect(messageOf(text)).to.deep.equal({
      message: 'The field code does not have the form that is expected: Four digits.',
    });
    expect(messageOf({ ...text, default: '1234' })).to.deep.equal({
      message: 'The field code does not have the form of 1234.',
    });
  });

  it('get their defaults in a copy', () => {
    const params = { host: '127.0.0.1', extra: [1] };
    expect(settle(params)).to.deep.equal({
      settings: { host: '127.0.0.1', extra: [1], mode: 0, port: 502, qos: 1, retries: 3, ssl: false },
    });
    expect(params).to.deep.equal({ host: '127.0.0.1', extra: [1] });
  });

  const refused: [params: unknown, message: string][] = [
    [{}, 'The field host is missing.'],
    [{ host: 'x' }, 'The field host does not have the form of 10.0.0.1 or 10.0.0.2.'],
    [
      { host: '' },
      'The field host must not be empty. The field host does not have the form of 10.0.0.1 or 10.0.0.2.',
    ],
    [{ port: '1', qos: 3 }, 'The field host is missing.'],
    [
      { host: 'x', port: '1', qos: 3 },
      'The field port must be an integer. The field host does not have the form of 10.0.0.1 or 10.0.0.2. The field qos must be one of 0, 1, 2.',
    ],
    [{ host: '1'.repeat(31) }, 'The field host must have 30 characters or fewer.'],
    [{ host: '1', port: '502' }, 'The field port must be an integer.'],
    [{ host: '1', port: 0 }, 'The field port must be at least 1.'],
    [{ host: '1', mode: 2 }, 'The field mode must be one of 0, 1.'],
    [{ host: '1', qos: 3 }, 'The field qos must be one of 0, 1, 2.'],
    [{ host: '1', ssl: true }, 'The field ca is missing.'],
    [{ host: '1', ssl: true, ca: '' }, 'The field ca must be the content of a file in base64.'],
    [{ host: '1', ssl: true, ca: 'a b!' }, 'The field ca must be the content of a file in base64.'],
    [null, 'The value must be an object.'],
  ];
  for (const [params, message] of refused) {
    it(`are refused with a sentence: ${JSON.stringify(params)}`, () => {
      expect(settle(params)).to.deep.equal({ message });
    });
  }

  it('ignore a setting whose condition does not hold', () => {
    expect(settle({ host: '1', ca: '' })).to.have.property('settings');
    expect(settle({ host: '1', ssl: true, ca: 'YWJj\nZGVm' })).to.have.property('settings');
  });
});

describe('the schema record', () => {
  const record = schemaRecord({
    settingsSchema: schema,
    groupInterval: 1000,
    addresses: [{ type: 3, pattern: '^[0-9]+$', examples: ['100'] }],
  });

  it('fits its own schema', () => {
    expect(checkOf('SchemaReply')(record)).to.equal(undefined);
  });

  it('lists address formats, the group interval and the settings in their order', () => {
    expect(Object.keys(record)).to.deep.equal(
      'tag_regex group_interval mode port host qos factor retries ssl ca keypass'.split(' '),
    );
    expect(record.tag_regex).to.deep.equal([{ type: 3, regex: '^[0-9]+$', examples: ['100'] }]);
    expect(record.group_interval).to.equal(1000);
  });

  it('projects every kind of setting', () => {
    expect(record['mode']).to.deep.equal({
      name: 'Mode',
      name_zh: '模式',
      description: 'Who connects.',
      description_zh: '连接方',
      attribute: 'required',
      type: 'map',
      default: 0,
      valid: {
        map: [
          { key: 'Client', value: 0 },
          { key: 'Server', value: 1 },
        ],
      },
    });
    expect(record['port']).to.deep.include({ type: 'int', default: 502, valid: { min: 1, max: 65535 } });
    expect(record['host']).to.deep.include({ type: 'string', valid: { length: 30, regex: '^[0-9.]+$' } });
    expect(record['qos']).to.deep.include({
      type: 'int',
      attribute: 'optional',
      default: 1,
      valid: { value: [0, 1, 2] },
    });
    expect(record['factor']).to.deep.include({ type: 'real', valid: {} });
    expect(record['retries']).to.deep.include({ type: 'int', default: 3, valid: {} });
    expect(record['ssl']).to.deep.include({ type: 'bool', default: false });
    const condition = { field: 'ssl', value: true };
    expect(record['ca']).to.deep.include({ type: 'file', attribute: 'required', condition });
    expect(record['keypass']).to.deep.include({ type: 'string', attribute: 'optional', condition });
  });
});

describe('the schema record of the family', () => {
  it('has the patterns of settings between slashes, which its clients cut off, and all else as it is', () => {
    const source = {
      settingsSchema: schema,
      groupInterval: 1000,
      addresses: [{ type: 3, pattern: '^[0-9]+$', examples: ['100'] }],
    };
    const record = schemaRecord(source, dialects.family);
    expect(record['host']).to.deep.include({ valid: { length: 30, regex: '/^[0-9.]+$/' } });
    const { host: _, ...rest } = record;
    const { host: __, ...others } = schemaRecord(source);
    expect(rest).to.deep.equal(others);
  });
});

describe('the meta-schema of settings', () => {
  it('accepts the schema above', () => {
    expect(validateSettingsSchema(schema)).to.equal(undefined);
  });

  const text = { type: 'string', title: 'T', description: '' };
  const integer = { ...text, type: 'integer' };
  const on = { ...text, type: 'boolean', default: false };
  const isOn = { properties: { on: { const: true } }, required: ['on'] };

  it('takes integers without a default that are required, by a condition or always', () => {
    const always = { type: 'object', properties: { a: integer }, required: ['a'] };
    const then = { properties: { a: integer }, required: ['a'] };
    expect(validateSettingsSchema(always)).to.equal(undefined);
    expect(
      validateSettingsSchema({ type: 'object', properties: { on }, allOf: [{ if: isOn, then }] }),
    ).to.equal(undefined);
    const elsewhere = { required: ['a'], properties: { a: {} } };
    expect(
      validateSettingsSchema({
        type: 'object',
        properties: { on, a: integer },
        allOf: [{ if: isOn, then: elsewhere }],
      }),
    ).to.equal(undefined);
  });

  it('takes a text that is a table', () => {
    const columns = [
      { name: 'from', title: 'From', type: 'reference', required: true },
      { name: 'how', title: 'How', choices: ['a', 'b'], many: true, before: ' | ' },
    ];
    const rows = { ...text, 'x-references': 'link', 'x-table': { columns, pattern: '^(?<from>.*)$' } };
    expect(validateSettingsSchema({ type: 'object', properties: { rows } })).to.equal(undefined);
  });

  const refused: [schema: unknown, message: string][] = [
    [{ type: 'object' }, 'The field properties is missing.'],
    [
      { type: 'object', properties: { rows: { ...text, 'x-table': { columns: [] } } } },
      'The field properties.rows.x-table.columns must have 1 or more entries.',
    ],
    [
      {
        type: 'object',
        properties: {
          rows: { ...text, writeOnly: true, 'x-table': { columns: [{ name: 'a', title: 'A' }] } },
        },
      },
      'The field properties.rows.writeOnly is not allowed here.',
    ],
    [
      { type: 'object', properties: { tag_regex: text } },
      'The field properties.tag_regex has a name that is not allowed.',
    ],
    [
      { type: 'object', properties: { a: { ...text, type: 'array' } } },
      'The field properties.a.type must be one of "integer", "number", "string", "boolean", ["string","integer"].',
    ],
    [
      { type: 'object', properties: { a: { ...text, pattern: '(' } } },
      'The field properties.a.pattern is not a valid regex.',
    ],
    [
      { type: 'object', properties: { a: { ...text, format: 'ipv4' } } },
      'The field properties.a.format is not known.',
    ],
    [{ type: 'object', properties: {}, anyOf: [] }, 'The field anyOf is not known.'],
    [
      { type: 'object', properties: { a: { ...text, type: 'boolean', writeOnly: true } } },
      'The field properties.a.type must be "string".',
    ],
    [
      { type: 'object', properties: { a: { ...text, writeOnly: false } } },
      'The field properties.a.writeOnly must be true.',
    ],
    [
      { type: 'object', properties: { a: integer } },
      'The setting a is an integer that may be left out: it needs a default, or to be required.',
    ],
    [
      { type: 'object', properties: { on }, allOf: [{ if: isOn, then: { properties: { a: integer } } }] },
      'The setting a is an integer that may be left out: it needs a default, or to be required.',
    ],
  ];
  for (const [wrong, message] of refused) {
    it(`refuses ${JSON.stringify(wrong)}`, () => {
      expect(validateSettingsSchema(wrong)).to.equal(message);
    });
  }
});

describe('a manifest', () => {
  const manifest = {
    id: 'modbus-tcp',
    name: 'Modbus TCP',
    kind: 'driver',
    sdk: '^0.2.0',
    main: 'dist/index.js',
    settings: 'settings.schema.json',
    description: { en: 'Reads Modbus devices.', zh: '读取' },
    tags: { groupInterval: 1000, addresses: [{ type: 3, pattern: '^[0-9]+$' }] },
    features: ['write-many'],
  };

  it('is accepted when complete', () => {
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateManifest({ ...manifest, kind: 'app', tags: undefined })).to.equal(undefined);
  });

  const refused: [change: object, message: string][] = [
    [{ id: '../evil' }, 'The field id does not match the pattern ^[a-z0-9][a-z0-9-]{0,62}$.'],
    [{ tags: undefined }, 'The field tags is missing.'],
    [{ kind: 'app' }, 'The field tags is not allowed here.'],
    [{ kind: 'both' }, 'The field kind must be one of "driver", "app".'],
    [{ name: 'x'.repeat(32) }, 'The field name must have 31 characters or fewer.'],
    [{ extra: 1 }, 'The field extra is not known.'],
  ];
  for (const [change, message] of refused) {
    it(`is refused with ${JSON.stringify(change)}`, () => {
      expect(validateManifest({ ...manifest, ...change })).to.equal(message);
    });
  }

  for (const main of ['/etc/passwd', '../x.js', 'a/../../x.js', 'a//b', './x.js', 'a\\b', 'a/.', '']) {
    it(`does not lead out of its folder: ${JSON.stringify(main)}`, () => {
      expect(validateManifest({ ...manifest, main })).to.match(/^The field main does not match the pattern/);
    });
  }
});
