import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { docs } from '../src/docs.ts';
import { driverFiles, Folder } from './folder.ts';

const readme = `# Nothing

<!-- pluginkit: addresses -->
<!-- /pluginkit -->

<!-- pluginkit: settings -->

stale

<!-- /pluginkit -->

Text below.
`;

const schema = {
  type: 'object',
  properties: {
    mode: {
      type: 'integer',
      title: 'Mode',
      description: 'How.',
      oneOf: [
        { const: 0, title: 'TCP' },
        { const: 1, title: 'A|B' },
      ],
      default: 0,
    },
    port: { type: 'integer', title: 'Port', description: 'TCP port.', minimum: 1, maximum: 65535 },
    password: {
      type: 'string',
      title: 'Password',
      description: 'Of the user.',
      writeOnly: true,
      default: '',
    },
  },
  required: ['mode', 'port'],
  allOf: [
    {
      if: { properties: { mode: { const: 1 } }, required: ['mode'] },
      then: {
        properties: {
          key: { type: 'string', title: 'Key', description: 'PEM file.', contentEncoding: 'base64' },
        },
        required: ['key'],
      },
    },
  ],
};

describe('docs', () => {
  const files = { ...driverFiles, 'README.md': readme, 'settings.schema.json': schema };
  const textOf = (folder: Folder): string => readFileSync(join(folder.path, 'README.md'), 'utf8');

  it('writes the tables of addresses and settings between their marks, and leaves the rest', () => {
    using folder = new Folder().write(files);
    docs(folder.path);
    expect(textOf(folder)).to.equal(`# Nothing

<!-- pluginkit: addresses -->

| Types     | Address |
| --------- | ------- |
| INT16 (3) | \`^x$\`   |

<!-- /pluginkit -->

<!-- pluginkit: settings -->

| Setting        | Values           | Default        | Meaning      |
| -------------- | ---------------- | -------------- | ------------ |
| \`mode\`         | 0 TCP, 1 A\\|B    | required (\`0\`) | How.         |
| \`port\`         | 1 to 65535       | required       | TCP port.    |
| \`password\`     | a secret text    | empty          | Of the user. |
| With \`mode\` 1: |                  |                |              |
| \`key\`          | a file in base64 | required       | PEM file.    |

<!-- /pluginkit -->

Text below.
`);
    expect(() => docs(folder.path, true)).to.not.throw();
  });

  it('fails when they are stale, and changes nothing then', () => {
    using folder = new Folder().write(files);
    expect(() => docs(folder.path, true)).to.throw('Run: pluginkit docs');
    expect(textOf(folder)).to.equal(readme);
  });

  it('says what is wrong with the marks', () => {
    const refuses = (text: string, problem: string): void => {
      using folder = new Folder().write({ ...files, 'README.md': text });
      expect(() => docs(folder.path)).to.throw(problem);
    };
    refuses('# Nothing\n', 'no place for tables');
    refuses('<!-- pluginkit: settings -->\n', 'one without an end');
    refuses(
      '<!-- pluginkit: prices -->\n<!-- /pluginkit -->\n',
      'asks for a table "prices"; there are: settings, addresses',
    );
  });
});
