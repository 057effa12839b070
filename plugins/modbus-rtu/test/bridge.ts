import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Makes a device that listens on one side dial in on the other. */
export function bridge(from: string, to: string): AsyncDisposable {
  const child = spawn('socat', [from, to], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
