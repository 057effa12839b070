import { compileSettings } from '@tagway/schemas/validate';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

interface Setting {
  readonly default?: unknown;
}

interface Schema {
  readonly properties: Readonly<Record<string, Setting>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly {
    readonly if: { readonly properties: Readonly<Record<string, { readonly const: unknown }>> };
    readonly then: {
      readonly properties?: Readonly<Record<string, Setting>>;
      readonly required?: readonly string[];
    };
  }[];
}

interface Row {
  readonly name: string;
  readonly shown: string;
}

const plugins = join(import.meta.dirname, '../../plugins');

/** The rows of the settings table of a README, one for each name. */
function rowsOf(readme: string): Row[] {
  const table = /^\| (?:Key|Setting) [^]*?\n(?!\|)/m.exec(readme)?.[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [names = '', , shown = ''] = line.split(' |').map((cell) => cell.replace(/^\|/, '').trim());
      return [...names.matchAll(/(?:^|(?<=, ))`[^`]+`/g)].map(([name]) => ({
        ...{ name: name.slice(1, -1), shown: shown.replaceAll('`', '') },
      }));
    });
}

/** All settings, those of conditions too, and what brings a setting in. */
function settingsOf({ properties, allOf = [] }: Schema): Map<string, Setting & { readonly with: object }> {
  const all = new Map(Object.entries(properties).map(([name, one]) => [name, { ...one, with: {} }]));
  for (const { if: when, then } of allOf) {
    const given = Object.fromEntries(
      Object.entries(when.properties).map(([name, test]) => [name, test.const]),
    );
    for (const [name, one] of Object.entries(then.properties ?? {}))
      all.set(name, { ...all.get(name), ...one, with: given });
  }
  return all;
}

describe('the settings tables of the plugins', () => {
  const folders = readdirSync(plugins).filter((name) => {
    const files = readdirSync(join(plugins, name));
    return files.includes('settings.schema.json') && files.includes('README.md');
  });

  for (const folder of folders) {
    const read = (name: string): string => readFileSync(join(plugins, folder, name), 'utf8');
    const schema = JSON.parse(read('settings.schema.json')) as Schema;
    const settings = settingsOf(schema);
    const rows = rowsOf(read('README.md'));

    it(`of ${folder} have every setting of the schema, and no other`, () => {
      // What a table leaves to the text below it, as a family of settings, is named there.
      const text = read('README.md');
      for (const name of settings.keys()) expect(text, name).to.include(`\`${name}\``);
      expect(rows).not.to.be.empty;
      for (const { name } of rows) expect([...settings.keys()], name).to.include(name);
    });

    it(`of ${folder} show the defaults of the schema, and say which are required all the same`, () => {
      const check = compileSettings(schema);
      for (const { name, shown } of rows) {
        const setting = settings.get(name);
        const { default: value } = setting ?? {};
        const bare = shown.replaceAll('*', '');
        const plain = /^(?:required \()?(-?\d+|true|false)\)?$/.exec(bare)?.[1];
        if (plain !== undefined) expect(plain, name).to.equal(String(value));
        const result = check({ ...setting?.with });
        const isMissing = 'message' in result && result.message.includes(`The field ${name} is missing.`);
        if (value !== undefined)
          expect(isMissing, `${name} is left out`).to.equal(bare.startsWith('required'));
      }
    });
  }
});
