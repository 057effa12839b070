// `npm run dev`: the gateway, built and started again after every change of a source file.
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { build } from './build.mjs';
import { withLock } from './lock.mjs';
import { run } from './process.mjs';
import { Failure, inRoot, nodeBinary, readPackages } from './workspace.mjs';

const quietTime = 300;
// tsup writes its configuration beside itself as tsup.config.bundled_….mjs while it builds.
const notInput = /(^|[\\/])(node_modules|dist|test|\.[^\\/]*)([\\/]|$)|\.bundled_/;

/** Emits `change` once the source files have been left alone for a moment. */
function watchSources() {
  const changes = new EventEmitter();
  let timer;
  for (const { path } of readPackages()) {
    watch(path, { recursive: true }, (_event, file) => {
      if (file === null || notInput.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => changes.emit('change'), quietTime);
    });
  }
  return changes;
}

async function buildAfter(changes) {
  for (;;) {
    await once(changes, 'change');
    try {
      return await withLock(build);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(`${error.message} The gateway keeps running as it was.`);
    }
  }
}

export async function dev(args) {
  const changes = watchSources();
  for (;;) {
    let gateway;
    let replaced = false;
    const ended = run(nodeBinary(), [inRoot('host/demo/dist/main.js'), ...args], {
      decides: true,
      started: (child) => (gateway = child),
    }).then(({ code }) => {
      if (!replaced)
        console.log(`The gateway ended with exit code ${code}. The next change starts it again.`);
    });
    await buildAfter(changes);
    replaced = true;
    gateway.kill('SIGTERM');
    await ended;
  }
}
