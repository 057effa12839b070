// The lint rules bite: short sources that break them, linted as if they stood in the tree.
import { expect } from 'chai';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { inRoot, root } from './workspace.mjs';

const options = { cwd: root, overrideConfigFile: inRoot('.dev', 'eslint.config.js') };

/** Names of the rules that a source breaks; the type-aware rules need a file that exists. */
async function brokenRules(eslint, file, source) {
  const [{ messages }] = await eslint.lintText(source, { filePath: inRoot(file) });
  return messages.map(({ ruleId, message }) => ruleId ?? message);
}

describe('the import directions', () => {
  const eslint = new ESLint({ ...options, overrideConfig: [tseslint.configs.disableTypeChecked] });

  const forbidden = [
    ['schemas/src/x.ts', '@tagway/sdk'],
    ['sdk/src/x.ts', '@tagway/host'],
    ['sdk/src/x.ts', '../../schemas/src/errors.ts'],
    ['plugins/mqtt/src/x.ts', '@tagway/host'],
    ['plugins/mqtt/src/x.ts', '@tagway/modbus'],
    ['plugins/mqtt/src/x.ts', '@tagway/pluginkit'],
    ['plugins/ads/src/x.ts', '@tagway/testkit'],
    ['plugins/opcua/src/x.ts', '@tagway/mqtt-client'],
    ['sdk/test/x.test.ts', '@tagway/pluginkit'],
    ['plugins/mqtt/src/x.ts', '../../modbus-tcp/src/index.ts'],
    ['plugins/modbus-tcp/src/x.ts', '../../lib/modbus/src/index.ts'],
    ['plugins/lib/modbus/src/x.ts', '@tagway/plugin-modbus-tcp'],
    ['host/src/runtime/x.ts', '@tagway/plugin-mqtt'],
    ['host/src/core/x.ts', '../http/x.ts'],
    ['host/src/core/x.ts', '../store/x.ts'],
    ['host/src/http/x.ts', '../runtime/x.ts'],
    ['host/src/http/deep/x.ts', '../../store/x.ts'],
    ['host/src/runtime/x.ts', '../http/x.ts'],
    ['host/src/runtime/x.ts', '../log/x.ts'],
    ['host/src/library/x.ts', '../runtime/x.ts'],
    ['host/src/store/x.ts', '../app.ts'],
    ['host/src/cli/command.ts', '../core/x.ts'],
    ['host/src/main.ts', './app.ts'],
    ['host/src/main.ts', './cli/plugin-command.ts'],
    ['host/src/cli/agent-command.ts', './command.ts'],
    ['host/src/config/pair-config.ts', './config.ts'],
    ['host/src/data/backup.ts', '../library/folder.ts'],
    ['host/src/core/tags/x.ts', '../../http/endpoints/tags.ts'],
    ['host/src/runtime/runners/x.ts', '../../log/x.ts'],
    ['host/test/x.test.ts', '@tagway/plugin-mqtt'],
    ['e2e/test/x.test.ts', '@tagway/host'],
    ['e2e/test/x.test.ts', '../../sdk/src/index.ts'],
  ];
  for (const [file, source] of forbidden) {
    it(`${file} may not import ${source}`, async () => {
      expect(await brokenRules(eslint, file, `import { x } from '${source}';\nx();\n`)).to.include(
        'layers/direction',
      );
    });
  }

  const allowed = [
    ['sdk/src/x.ts', '@tagway/schemas'],
    ['sdk/src/runner/x.ts', '../fault.ts'],
    ['plugins/mqtt/src/x.ts', '@tagway/sdk'],
    ['plugins/mqtt/src/x.ts', '@tagway/mqtt-client'],
    ['plugins/mqtt/test/x.test.ts', '@tagway/pluginkit'],
    ['plugins/ads/test/x.test.ts', '@tagway/testkit'],
    ['sdk/testkit/src/x.ts', '@tagway/sdk/link'],
    ['sdk/pluginkit/src/x.ts', '@tagway/sdk/internal'],
    ['sdk/pluginkit/templates/driver/test/x.test.ts', '@tagway/pluginkit'],
    ['plugins/modbus-tcp/src/x.ts', '@tagway/modbus'],
    ['host/src/app.ts', './http/x.ts'],
    ['host/src/cli/command.ts', '../app.ts'],
    ['host/src/core/tags/x.ts', '../nodes/nodes.ts'],
    ['plugins/fins/src/x.ts', '@tagway/plc-words'],
    ['host/test/pair/x.test.ts', '@tagway/testkit/etcd-cluster'],
    ['e2e/pair/x.ts', '@tagway/testkit/etcd-cluster'],
    ['host/src/http/deep/x.ts', '../../core/x.ts'],
    ['host/src/runtime/x.ts', '@tagway/sdk/internal'],
    ['host/test/store/x.test.ts', '../../src/store/x.ts'],
    ['host/demo/src/x.ts', '@tagway/host'],
    ['e2e/test/x.test.ts', '@tagway/schemas'],
  ];
  for (const [file, source] of allowed) {
    it(`${file} may import ${source}`, async () => {
      expect(await brokenRules(eslint, file, `import { x } from '${source}';\nx();\n`)).to.be.empty;
    });
  }

  it('runtime may import types of log', async () => {
    const source = "import type { Log } from '../log/x.ts';\nexport const logs: Log[] = [];\n";
    expect(await brokenRules(eslint, 'host/src/runtime/x.ts', source)).to.be.empty;
  });

  it('a re-export and a dynamic import are imports too', async () => {
    const source = "export * from '@tagway/host';\nexport const host = import('@tagway/host');\n";
    const broken = await brokenRules(eslint, 'sdk/src/x.ts', source);
    expect(broken.filter((rule) => rule === 'layers/direction')).to.have.length(2);
  });
});

describe('the rule against circles', () => {
  const eslint = new ESLint({ ...options, overrideConfig: [tseslint.configs.disableTypeChecked] });

  it('names the way back, for an import of a type too', async () => {
    // tags.ts imports group-owners.ts.
    const source = "import type { Tags } from './tags.ts';\nexport type Place = Tags;\n";
    const [{ messages }] = await eslint.lintText(source, {
      filePath: inRoot('host/src/core/tags/group-owners.ts'),
    });
    expect(messages.map(({ message }) => message)).to.deep.equal([
      'This import closes a circle: tags.ts imports group-owners.ts.',
    ]);
  });
});

describe('the rules of the language', () => {
  const untyped = new ESLint({ ...options, overrideConfig: [tseslint.configs.disableTypeChecked] });
  // In CI the parser would otherwise take a file's text from the disk and not from the test.
  const parserOptions = { disallowAutomaticSingleRunInference: true };
  const typed = new ESLint({
    ...options,
    overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions } }],
  });

  const cases = [
    [untyped, 'sdk/src/x.ts', "console.log('x');\n", 'no-console'],
    [untyped, 'sdk/src/x.ts', 'export enum Colour { Red }\n', 'no-restricted-syntax'],
    [untyped, 'sdk/src/x.ts', 'export const x = { ...{ a: 1 }, b: 2 };\n', 'no-restricted-syntax'],
    [untyped, 'sdk/src/x.ts', 'export const [a, b] = [1, 2];\n', 'no-restricted-syntax'],
    [untyped, 'sdk/src/x.ts', "import { x } from './x.js';\nx();\n", 'no-restricted-imports'],
    [untyped, 'sdk/src/x.ts', 'export const x: any = 1;\n', '@typescript-eslint/no-explicit-any'],
    [typed, 'sdk/tsup.config.ts', 'Promise.resolve(1);\n', '@typescript-eslint/no-floating-promises'],
    [typed, 'sdk/tsup.config.ts', '[1].forEach(async () => {});\n', '@typescript-eslint/no-misused-promises'],
    [
      typed,
      'sdk/tsup.config.ts',
      "import { Options } from 'tsup';\nexport const options: Options = {};\n",
      '@typescript-eslint/consistent-type-imports',
    ],
  ];
  for (const [eslint, file, source, rule] of cases) {
    it(rule, async () => {
      expect(await brokenRules(eslint, file, source)).to.include(rule);
    });
  }

  it('the command line may print', async () => {
    expect(await brokenRules(untyped, 'host/src/main.ts', "console.log('x');\n")).to.be.empty;
  });
});
