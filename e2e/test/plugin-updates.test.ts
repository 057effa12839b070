import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, type OutdatedReply, type RegistriesReply } from '@tagway/schemas';
import { expect } from 'chai';
import { doneJob } from '../kit/directory.ts';
import { packageOf } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const meter = 'tagway-meter';
/** Milliseconds from a start within which a gateway that looks has looked. */
const firstLook = 12_000;

describe('looking for newer versions of plugins', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let registry: LyingRegistry;

  before(async () => {
    registry = await LyingRegistry.start();
    registry.add(packageOf(meter, 'meter'));
    await client.ok('PUT', '/directory/registries', { registries: [{ url: registry.url }] });
    await doneJob(client, { action: 'install', package: meter });
    registry.add(packageOf(meter, 'meter', { version: '1.1.0' }));
  });

  after(() => registry[Symbol.asyncDispose]());

  it('happens never without a setting: no packet leaves', async () => {
    registry.requests.length = 0;
    await gateway.restart();
    await sleep(firstLook);
    expect(registry.requests).to.deep.equal([]);
    expect(await client.ok<RegistriesReply>('GET', '/directory/registries')).to.include({ look_every: 0 });
    expect(await client.ok('GET', '/directory/outdated')).to.deep.equal({ plugins: [], profiles: [] });
  });

  it('happens as often as an admin says, also after a restart, and the log says each version once', async () => {
    const registries = [{ url: registry.url }];
    const put = (look_every: number): Promise<number> =>
      client.errorOf('PUT', '/directory/registries', { registries, look_every });
    expect(await put(-1)).to.equal(ErrorCode.BODY_INVALID);
    expect(await put(337)).to.equal(ErrorCode.BODY_INVALID);
    expect(await put(24)).to.equal(ErrorCode.SUCCESS);
    const found = (): Promise<OutdatedReply['plugins'][number] | undefined> =>
      until('the newer version is found', async () => {
        const { plugins } = await client.ok<OutdatedReply>('GET', '/directory/outdated');
        return plugins[0];
      });
    expect(await found()).to.include({ plugin: 'meter', installed: '1.0.0', fitting: '1.1.0' });
    // Who changes the registries alone leaves it as it is.
    await client.ok('PUT', '/directory/registries', { registries });
    await gateway.restart();
    expect(await client.ok<RegistriesReply>('GET', '/directory/registries')).to.include({ look_every: 24 });
    expect(await found()).to.include({ fitting: '1.1.0' });
    const text = 'Version 1.1.0 of the plugin "meter" is in its registry; 1.0.0 is installed.';
    const log = await gateway.log();
    expect(log.split(text).length - 1, log).to.equal(2);
  });

  it('ends with the setting', async () => {
    await client.ok('PUT', '/directory/registries', { registries: [{ url: registry.url }], look_every: 0 });
    await gateway.restart();
    registry.requests.length = 0;
    await sleep(firstLook);
    expect(registry.requests).to.deep.equal([]);
  });
});
