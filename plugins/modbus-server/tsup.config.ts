import { defineConfig } from 'tsup';
import { plugin } from '../../.dev/tsup.ts';

// The native module stays out of the bundle: it looks for its prebuilt binaries in its own folder.
const native = '@serialport/bindings-cpp';

export default defineConfig(plugin({ noExternal: [new RegExp(`^(?!${native}$)`)], external: [native] }));
