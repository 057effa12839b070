import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

/** Names of the packages that a process has loaded after it imported a module, one a line. */
const script = (module: string): string => `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  await import('${module}');
  console.log(loaded.join('\\n'));
`;

async function modulesOf(module: string): Promise<string[]> {
  const args = ['--conditions=source', '--input-type=module', '--eval', script(module)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: new URL('..', import.meta.url),
  });
  return stdout.trim().split('\n');
}

describe('importing the SDK', () => {
  for (const module of ['@tagway/sdk', '@tagway/sdk/json', '@tagway/sdk/spool', '@tagway/sdk/internal']) {
    it(`loads no validator: ${module}`, async () => {
      const loaded = await modulesOf(module);
      expect(loaded.some((url) => url.includes('/sdk/src/'))).to.equal(true);
      expect(loaded.filter((url) => /\/ajv\/|\/validate\.[jt]s$/.test(url))).to.deep.equal([]);
    });
  }

  it('would be caught loading it', async () => {
    const loaded = await modulesOf('@tagway/schemas/validate');
    expect(loaded.some((url) => /\/ajv\//.test(url))).to.equal(true);
  }).timeout(10_000);
});
