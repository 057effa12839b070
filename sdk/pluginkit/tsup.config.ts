import { defineConfig } from 'tsup';
import { library } from '../../.dev/tsup.ts';

const entry = {
  index: 'src/index.ts',
  main: 'src/main.ts',
  probe: 'src/conformance/probe.ts',
  project: 'src/project.ts',
};

// The author's project has one SDK, which the kit shares: it is not bundled.
export default defineConfig(library(entry, { dts: { entry: { index: 'src/index.ts' } }, noExternal: [] }));
