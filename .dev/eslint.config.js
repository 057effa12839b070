import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import layers from './layers.js';
import words from './words.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const builtFolders = ['**/dist/', '**/.dist/', '**/node_modules/', '.stamps/'];
const importsOfJs = {
  regex: '^\\.\\.?/.*\\.js$',
  message: 'Node runs the sources, so a relative import ends in .ts.',
};
const largeModules = ['node:http', 'node:https', 'node:http2', 'node:tls'].map((name) => ({
  name,
  allowTypeImports: true,
  message: 'Its import loads much that few gateways need. Use process.getBuiltinModule where it is needed.',
}));

export default defineConfig(
  globalIgnores([...builtFolders, 'schemas/src/generated/', 'tagway-data/', '.data/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { plugins: { words }, rules: { 'words/replaced': 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    // One program for the whole workspace: a third faster than one for every package.
    languageOptions: { parserOptions: { project: '.dev/tsconfig.json', tsconfigRootDir: root } },
    plugins: { layers },
    rules: {
      'layers/circle': 'error',
      'layers/direction': 'error',
      eqeqeq: 'error',
      'no-control-regex': 'error',
      'no-restricted-imports': ['error', { patterns: [importsOfJs] }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'TSEnumDeclaration',
          message: 'An enum is not erasable. Use a constant object and its type.',
        },
        {
          selector:
            "ObjectExpression > SpreadElement[argument.type='ObjectExpression'][argument.properties.length>0]",
          message: 'Write the members themselves; a literal is not spread to keep a line short.',
        },
        {
          selector:
            "VariableDeclarator[id.type='ArrayPattern'] > ArrayExpression.init[elements.length>0]:not(:has(> SpreadElement))",
          message: 'One variable a statement: there is no need of an array here.',
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // It does not see that a field may change while a method awaits, nor that `before` may have failed in `after`.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // Style only: `return done()` in a function without a result, and `void | Promise<void>` for one that may wait.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // An index below the length is proof enough in a loop over columns; a check per value would cost time.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A method may be async because its interface says so.
      '@typescript-eslint/require-await': 'off',
      // A type parameter that is used once may still document what a caller gets.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: ['host/dashboard/**/*.{ts,tsx}'],
    // It runs in a browser: other libraries, other types.
    languageOptions: { parserOptions: { project: 'host/dashboard/tsconfig.json', tsconfigRootDir: root } },
  },
  {
    files: ['sdk/**/*.ts', 'host/**/*.ts', 'plugins/**/*.ts', 'schemas/src/**/*.ts'],
    ignores: ['**/test/**', 'host/src/main.ts', 'host/demo/**'],
    rules: {
      'no-console': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['host/src/**/*.ts', 'sdk/src/**/*.ts', 'plugins/**/src/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: largeModules }] },
  },
  {
    // Tables of texts, one for each language: two files of a language would be two places to look in.
    files: ['host/dashboard/src/texts/*.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['**/test/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      // chai's assertions are properties: expect(x).to.be.empty
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    },
  },
);
