// What is done before the first test runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { inRoot, nodeBinary } from './workspace.mjs';

describe('the sources without their types', () => {
  let cache;
  before(() => (cache = mkdtempSync(join(tmpdir(), 'tagway-strip-'))));
  after(() => rmSync(cache, { recursive: true, force: true }));

  function output(...args) {
    const env = { ...process.env, NODE_COMPILE_CACHE: cache };
    return spawnSync(nodeBinary(), args, { encoding: 'utf8', env }).stdout;
  }

  /** Whether a process that begins with a source file loads the compiler of Node. */
  function loadsCompiler() {
    const loaded = 'process.moduleLoadList.some((name) => name.includes("amaro"))';
    const script = `process.on('exit', () => console.log(${loaded}))`;
    const more = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
    return output('--conditions=source', ...more, inRoot('sdk', 'src', 'json', 'digits.ts')).trim();
  }

  it('are found by the first process that runs one of them', () => {
    expect(output('--no-warnings', '--expose-internals', inRoot('.dev', 'strip.mjs'))).to.equal('');
    expect(loadsCompiler()).to.equal('false');
    rmSync(cache, { recursive: true });
    expect(loadsCompiler()).to.equal('true');
  });
});
