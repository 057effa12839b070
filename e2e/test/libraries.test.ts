import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { LibraryOptions } from '../kit/archives.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { addModbus, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { addLibrary, restartsWith } from '../kit/libraries.ts';
import { ApiProbe } from '../kit/api-probe.ts';
import { usePlant } from '../world/plant.ts';

/** Libraries whose manifest is good and whose code is not: they may be listed, and must not hurt anyone. */
const badModules: Readonly<Record<string, LibraryOptions>> = {
  'throws-at-import': { module: 'throw new Error("thrown while loading");' },
  'exits-at-import': { module: 'process.exit(0);' },
  'spins-at-import': { module: 'for (;;);' },
  'no-such-import': { module: 'import "a-package-that-is-not-there"; export default {};' },
  'syntax-error': { module: 'export default {' },
  'exports-nothing': { module: 'export const nothing = 0;' },
  'exports-no-plugin': { module: 'export default { create() {} };' },
  'create-throws': {
    module:
      'export default { [Symbol.for("tagway.driver")]: true, create() { throw new Error("no"); }, checkTag: () => undefined };',
  },
};

/** Libraries that must be skipped. */
const badManifests: Readonly<Record<string, LibraryOptions>> = {
  'not-json': { manifestText: '{ "id": ' },
  'empty-manifest': { manifestText: '' },
  'no-name': { manifest: { name: undefined } },
  'bad-kind': { manifest: { kind: 'thing' } },
  'other-sdk': { manifest: { sdk: '^9.0.0' } },
  'no-main': { manifest: { main: 'absent.js' } },
  'main-outside': { manifest: { main: '../../../etc/passwd' } },
  'no-settings': { manifest: { settings: 'absent.json' } },
  'settings-no-schema': { manifest: { settings: 'index.js' } },
  'takes-a-name': { manifest: { name: 'Modbus TCP' } },
  'takes-an-id': { manifest: { id: 'modbus-tcp' } },
  'bad-pattern': { manifest: { tags: { groupInterval: 1000, addresses: [{ type: 3, pattern: '(' }] } } },
};

describe('bad libraries', function () {
  this.timeout(120_000);
  const { device, gateway, client } = usePlant({
    gateway: {
      prepare: async (data) => {
        for (const [id, options] of Object.entries({ ...badModules, ...badManifests, good: {} }))
          await addLibrary(data, id, options);
      },
    },
  });

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(10) });
  });

  it('do not stop the gateway from starting with the good ones', async () => {
    const plugins = await pluginsOf(client);
    const names = plugins.map(({ name }) => name);
    expect(names).to.include.members(['Modbus TCP', 'MQTT', 'good']);
    expect(plugins.find(({ name }) => name === 'good')).to.include({ kind: 2 });
    expect(plugins.filter(({ name }) => name === 'Modbus TCP')).to.have.length(1);
    expect(plugins.find(({ schema }) => schema === 'modbus-tcp')).to.include({ name: 'Modbus TCP', kind: 1 });
    await readValues(client, 'plant', 'group');
  });

  it('do not keep the node of a good one from running, nor from running again after a restart', async () => {
    await client.ok('POST', '/node', { name: 'good', plugin: 'good', params: {} });
    await restartsWith(gateway, client, 'good');
    await readValues(client, 'plant', 'group');
  });

  for (const id of Object.keys(badManifests)) {
    if (id.startsWith('takes-')) continue;
    it(`${id} is skipped`, async () => {
      expect((await pluginsOf(client)).map(({ name }) => name)).to.not.include(id);
      const error = await client.errorOf('POST', '/node', { name: `of ${id}`, plugin: id });
      expect(error).to.equal(ErrorCode.LIBRARY_NOT_FOUND);
    });
  }

  for (const id of Object.keys(badModules)) {
    it(`${id} hurts only its own node`, async () => {
      const probe = new ApiProbe(client);
      // Which of the calls is refused is the gateway's choice; each must be answered.
      const added = await client.call('POST', '/node', { name: id, plugin: id });
      expect([200, 400, 404]).to.include(added.status);
      if (added.status === 200) {
        const set = await client.call('POST', '/node/setting', { node: id, params: {} }, { within: 30_000 });
        expect([200, 400, 409, 500]).to.include(set.status);
        const { running, link } = await stateOf(client, id);
        expect([1, 2, 3]).to.include(running);
        expect(link).to.equal(0);
      }
      for (const { error } of (await readValues(client, 'plant', 'group')).values())
        expect(error).to.equal(undefined);
      if (added.status === 200) await client.ok('DELETE', '/node', { name: id }, { within: 30_000 });
      await probe.stop();
      expect(probe.slowest, 'milliseconds of the slowest answer of the API').to.be.lessThan(1000);
    });
  }
});
