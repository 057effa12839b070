import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

/**
 * Runs a script in which the native module of serial ports cannot be loaded. It prints what nodes over TCP read, then the fault of a node with
 * a serial port.
 */
export function expectWithoutNative(script: string, overTcp: readonly string[]): void {
  const run = spawnSync(process.execPath, ['--conditions=source', script], { encoding: 'utf8' });
  expect(run.stderr).to.equal('');
  const lines = run.stdout.trim().split('\n');
  expect(lines.slice(0, -1)).to.deep.equal(overTcp);
  expect(lines.at(-1))
    .to.match(/^2304 false The native module for serial ports cannot be loaded \(no prebuilt binary\)\./)
    .and.contain('the TCP link');
}
