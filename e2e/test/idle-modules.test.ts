import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';

/** What only some gateways need, by parts of the paths of its sources. */
const optional = {
  'sign-in at a directory': ['/ldapts/', 'host/src/sign-in/ldap-directory.ts'],
  'sign-in at a provider': ['/openid-client/', '/jose/', 'host/src/sign-in/oidc-provider.ts'],
  'a source of the configuration': ['host/src/source/puller.ts'],
  OpenTelemetry: ['/@opentelemetry/', 'host/src/otlp/telemetry.ts'],
  'a pair': ['host/src/pair/pair-side.ts'],
} as const;

describe('the modules of a gateway', () => {
  const folder = useFolder('idle-modules');

  /** Paths of all sources in the files that the host has loaded, once it was asked something and has ended. */
  async function loadedBy(...args: string[]): Promise<string[]> {
    const coverage = folder('coverage', String(args.length));
    const gateway = await Gateway.start({ starter: ['/usr/bin/env', `NODE_V8_COVERAGE=${coverage}`], args });
    const own = `coverage-${gateway.pid}-`;
    try {
      const client = await gateway.client();
      await client.ok('GET', '/node', { type: 1 });
    } finally {
      await gateway.dispose();
    }
    const sources = new Set<string>();
    // A process that it started may be killed while it writes its own.
    for (const name of (await readdir(coverage)).filter((each) => each.startsWith(own))) {
      const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as {
        result: readonly { url: string }[];
      };
      const urls = result.map(({ url }) => url).filter((url) => url.includes('/host/dist/'));
      for (const url of urls) {
        const map = await readFile(`${fileURLToPath(url)}.map`, 'utf8').catch(() => '{"sources":[]}');
        const folderOf = join(fileURLToPath(url), '..');
        for (const source of (JSON.parse(map) as { sources: readonly string[] }).sources)
          sources.add(join(folderOf, source));
      }
    }
    return [...sources];
  }

  const among = (sources: readonly string[], parts: readonly string[]): string[] =>
    sources.filter((source) => parts.some((part) => source.includes(part)));

  it('are those that it needs: what is not set is not loaded', async () => {
    const sources = await loadedBy();
    expect(among(sources, ['host/src/core/gateway.ts'])).to.have.length(1);
    for (const [what, parts] of Object.entries(optional))
      expect(among(sources, parts), what).to.deep.equal([]);
  });

  it('are more where more is set', async () => {
    const source = ['--config-source', folder(), '--otlp-endpoint', 'http://127.0.0.1:9'];
    const sources = await loadedBy(...source);
    for (const what of ['a source of the configuration', 'OpenTelemetry'] as const)
      expect(among(sources, optional[what]), what).to.not.deep.equal([]);
  });
});
