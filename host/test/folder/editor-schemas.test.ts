import { Ajv } from 'ajv';
import { expect } from 'chai';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { editorSchemas } from '../../src/folder/editor-schemas.ts';
import type { PluginFacts } from '../../src/folder/resolve.ts';

const plugins = join(import.meta.dirname, '../../../plugins');

/** Our plugins, by their files. */
async function ours(): Promise<PluginFacts[]> {
  const facts: PluginFacts[] = [];
  for (const folder of await readdir(plugins)) {
    const json = async (file: string): Promise<object | undefined> =>
      (JSON.parse(await readFile(join(plugins, folder, file), 'utf8').catch(() => 'null')) as
        object | null) ?? undefined;
    const manifest = (await json('plugin.json')) as { id: string; name: string; kind: string } | undefined;
    const settingsSchema = await json('settings.schema.json');
    if (manifest === undefined || settingsSchema === undefined) continue;
    facts.push({ id: manifest.id, name: manifest.name, isApp: manifest.kind === 'app', settingsSchema });
  }
  return facts;
}

describe('the schemas for editors', () => {
  it('take good files, complete the settings of every plugin, and find what is wrong', async () => {
    const facts = await ours();
    expect(facts.length).to.be.above(20);
    const schemas = editorSchemas(facts);
    const ajv = new Ajv({ strict: false, allErrors: true });
    const check = (name: string) =>
      ajv.compile(JSON.parse(schemas.get(`.schemas/${name}.json`) ?? '') as object);
    const driver = check('driver');
    const app = check('app');
    const settings = { connection_mode: 0, host: { env: 'TAGWAY_SECRET_HOST' }, port: 502, timeout: 1000 };
    const groups = [{ name: 'g', interval: 1000, tags: [{ name: 'a', address: '1!1', type: 'FLOAT' }] }];
    expect(driver({ plugin: 'Modbus TCP', settings, groups }), JSON.stringify(driver.errors)).to.equal(true);
    const looped = {
      each: 'presses',
      name: { var: 'name' },
      plugin: 'Modbus TCP',
      settings: { ...settings, port: { var: 'port' } },
      groups: [
        { each: 'lines', name: { var: 'line' }, interval: { var: 'interval' }, tags: groups[0]?.tags },
      ],
    };
    expect(driver(looped), JSON.stringify(driver.errors)).to.equal(true);
    for (const wrong of [
      { ...looped, each: ['presses'] },
      { ...looped, name: { variable: 'name' } },
      { plugin: 'Modbus TCP', settings: { ...settings, port: 99999 } },
      { plugin: 'Modbus TCP', settings: { ...settings, host: { vault: 'x' } } },
      { plugin: 'MQTT' },
      { plugin: 'Modbus TCP', groups: [{ name: 'g' }] },
      { plugin: 'Modbus TCP', groups: [{ ...groups[0], tags: [{ name: 'a', type: 'FLOOT' }] }] },
      { plugin: 'Modbus TCP', setings: {} },
    ])
      expect(driver(wrong), JSON.stringify(wrong)).to.equal(false);
    const own = { 'client-id': 'c', host: 'h', port: 1883, password: { secret: 'broker' } };
    expect(app({ plugin: 'MQTT', settings: own }), JSON.stringify(app.errors)).to.equal(true);
    const serial = { link: 0, timeout: 1000 };
    expect(driver({ plugin: 'Modbus RTU', settings: serial }), 'a serial line needs a device').to.equal(
      false,
    );
    expect(check('gateway')({ format: 1 })).to.equal(true);
    expect(check('vars')({ from: 'plant', presses: [{ name: 'press 1' }] })).to.equal(true);
    expect(check('template')({ plugin: 'Modbus TCP', groups })).to.equal(true);
  });
});
