import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const folder = dirname(Gateway.main);
const registryProcess = 'registry-process.js';
/** What asks registries and verifies packages, and what these need. */
const libraries = /node_modules\/(?:@sigstore|@tufjs|tuf-js|make-fetch-happen|ssri|https?-proxy-agent)\//;

/** The sources that a file of the built gateway was made of. */
async function sourcesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, `${file}.map`), 'utf8');
  return (JSON.parse(text) as { readonly sources: readonly string[] }).sources;
}

describe('what finding plugins by name costs a gateway that does not', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway();
  const isRegistryProcess = ({ title }: { readonly title: string }): boolean =>
    title.includes(registryProcess);

  it('is no library in memory: they are in the file of the registry process alone', async () => {
    const others = (await readdir(folder)).filter((file) => file.endsWith('.js') && file !== registryProcess);
    const found: string[] = [];
    for (const file of others)
      found.push(...(await sourcesOf(file)).filter((source) => libraries.test(source)));
    expect(others.length).to.be.greaterThan(3);
    expect(found).to.deep.equal([]);
    expect((await sourcesOf(registryProcess)).filter((source) => libraries.test(source))).not.to.deep.equal(
      [],
    );
    for (const file of others)
      expect(await readFile(join(folder, file), 'utf8'), file).not.to.match(
        /import\(?["']\.\/registry-process/,
      );
  });

  it('is no process: that is there for a question, and ends after it', async () => {
    expect((await gateway.runners()).filter(isRegistryProcess)).to.deep.equal([]);
    await using registry = await LyingRegistry.start();
    const asked = Promise.withResolvers<void>();
    registry.answers.set('/-/v1/search', (_request, response) => {
      void asked.promise.then(() => response.end('{"objects":[],"total":0}'));
    });
    await client.ok('PUT', '/directory/registries', { registries: [{ url: registry.url }] });
    const search = client.ok('GET', '/directory/search', { text: 'meter' });
    await until('there is a process that asks', async () =>
      (await gateway.runners()).some(isRegistryProcess),
    );
    asked.resolve();
    await search;
    expect((await gateway.runners()).filter(isRegistryProcess)).to.deep.equal([]);
  });
});
