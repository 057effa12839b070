import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { schemaRecord } from '@tagway/schemas';
import { checkOf, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { isApp, isDriver, sdkVersion } from '@tagway/sdk/internal';
import semver from 'semver';
import { type Library, moduleUnderTest, settingsOf, stepsOfSettings } from '../library.ts';
import { type ClientOptions, RelayedPeer, type PeerOptions } from './peer.ts';
import { resourcesOf, settled } from './resources.ts';

/** Imports the library's module and returns its plugin. Throws when the default export is not of the kind that the manifest names. */
export async function importPlugin(library: Library): Promise<object> {
  const module = (await import(pathToFileURL(moduleUnderTest(library)).href)) as { default?: unknown };
  const plugin = module.default;
  const fits = library.manifest.kind === 'driver' ? isDriver(plugin) : isApp(plugin);
  if (!fits || typeof plugin !== 'object')
    throw new Error(`The default export is not made by ${library.manifest.kind}() of the SDK.`);
  return plugin as object;
}

/** Registers the tests of a library's files and of `create`, the same for drivers and apps. */
export function testFiles(
  library: Library,
  peer: PeerOptions | ClientOptions | undefined,
  params: () => object,
): void {
  const { manifest, schema } = library;

  it('plugin.json is a valid manifest', () => {
    expect(validateManifest(manifest)).to.equal(undefined);
  });

  it('the settings schema fits the meta-schema', () => {
    expect(validateSettingsSchema(schema)).to.equal(undefined);
  });

  it('the settings schema projects to a record of the API', () => {
    const { tags } = manifest;
    const record = schemaRecord({
      settingsSchema: schema,
      groupInterval: tags?.groupInterval ?? 1000,
      addresses: tags?.addresses ?? [],
    });
    expect(checkOf('SchemaReply')(record)).to.equal(undefined);
  });

  it('the settings of the tests fit the schema', () => {
    settingsOf(library, params());
  });

  it('the plugin is for this version of the SDK', () => {
    expect(semver.satisfies(sdkVersion, manifest.sdk, { includePrerelease: true }), manifest.sdk).to.equal(
      true,
    );
  });

  it('the module exports a plugin of the kind that the manifest says', async () => {
    await importPlugin(library);
  });

  it('create opens nothing', async () => {
    const plugin = (await importPlugin(library)) as { create(context: object): unknown };
    await using other = peer === undefined ? undefined : await RelayedPeer.start(peer);
    const before = await resourcesOf();
    plugin.create(idleContext(settingsOf(library, other?.settings ?? params())));
    await settled(before);
    expect(other?.relay.connections ?? 0, 'connections').to.equal(0);
  });
}

/** Expects a setting that a form can mark when this step of a connection test fails. */
export function expectSettingOf(library: Library, step: string): void {
  expect([...stepsOfSettings(library)], 'steps that "x-steps" of the settings name').to.include(step);
}

/** A context of a run that is never started. */
function idleContext(settings: object): object {
  const nothing = (): void => undefined;
  return {
    node: 'node',
    settings,
    log: { debug: nothing, info: nothing, notice: nothing, warn: nothing, error: nothing },
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: () => Promise.reject(new Error('Nothing waits before start.')),
      timer: () => ({ [Symbol.dispose]: nothing }),
    },
    dataDir: '/nonexistent',
    signal: new AbortController().signal,
    link: nothing,
    rtt: nothing,
    count: nothing,
    gauge: nothing,
    maySend: () => true,
    guard: () => undefined,
    exclusive: (_key: string, work: () => unknown) => work(),
    sequence: () => Promise.reject(new Error('No number is given before start.')),
    store: {
      read: () => Promise.reject(new Error('Nothing is stored before start.')),
      write: () => Promise.reject(new Error('Nothing is stored before start.')),
    },
    read: () => Promise.reject(new Error('Nothing is read before start.')),
    write: () => Promise.reject(new Error('Nothing is written before start.')),
    drivers: () => Promise.resolve([]),
  };
}
